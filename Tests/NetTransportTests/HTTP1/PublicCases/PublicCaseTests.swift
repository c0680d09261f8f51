#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    /// The cases of other projects' tests, in our own table.
    @Suite struct PublicCaseTests {
        @Test(arguments: PublicCase.all) func parserAgreesWithTheTable(_ example: PublicCase) {
            let response = example.response
            for pieces in [[response.bytes.count], Array(repeating: 1, count: response.bytes.count)] {
                let outcome = FeedOutcome(response.bytes, isHead: response.isHead, pieces: pieces)
                if case .failure(let error) = outcome.events.last {
                    #expect(example.verdict == .refused(error))
                } else {
                    #expect(ParserVerdict.ours(response).map(Self.verdict) == example.verdict)
                }
            }
        }

        @Test(.requires(.node)) func llhttpAgreesWithTheTable() async throws {
            let answer = try await PeerParser.llhttp.parse(PublicCase.all.map(\.response))
            for (example, verdict) in zip(PublicCase.all, answer) {
                let theirs = verdict.map(Self.verdict)
                let agrees = if case .refused = example.verdict { theirs == nil } else { theirs == example.verdict }
                #expect(agrees == (example.llhttp == nil), "\(example.name): \(String(describing: theirs))")
            }
        }

        private static func verdict(_ verdict: ParserVerdict) -> PublicCase.Verdict {
            .accepted(verdict.status, latin1(verdict.body), isReusable: verdict.isReusable)
        }
    }
#endif
