#if os(Linux)
    import TestLab
    import Testing

    /// Our parser and three others read the same generated responses. ``KnownDifference`` explains each difference.
    @Suite struct DifferentialTests {
        static let responses = ResponseGenerator.responses(Volume.pick(quick: 6000, full: 24_000), seed: 31)
        static let ours = responses.map { ParserVerdict.ours($0) }

        @Test func generatorMakesValidAndInvalidResponses() {
            let accepted = Self.ours.count { $0 != nil }
            #expect(accepted > Self.ours.count * 4 / 10 && accepted < Self.ours.count * 7 / 10)
            #expect(Set(Self.responses.flatMap(\.steps)).isSuperset(of: ResponseChange.faults.map(\.name)))
        }

        @Test(.requires(.pythonPackages)) func h11DifferencesAreKnown() async throws { try await compare(with: .h11) }

        @Test(.requires(.node)) func llhttpDifferencesAreKnown() async throws { try await compare(with: .llhttp) }

        @Test(.requires(.go)) func goNetHTTPDifferencesAreKnown() async throws { try await compare(with: .netHTTP) }

        private func compare(with peer: PeerParser) async throws {
            let theirs = try await peer.parse(Self.responses)
            let comparison = Comparison(with: peer, theirs, of: Self.responses, ours: Self.ours)
            #expect(comparison.unexplained.prefix(10) == [] && comparison.unusedRows == [])
        }
    }

    /// The differences between our verdicts and those of a peer, after ``KnownDifference``.
    private struct Comparison {
        /// Differences that no row explains.
        private(set) var unexplained: [String] = []
        /// Rows, with the kind of difference, without which each difference has an explanation too. With few responses, a row needs one of
        /// its kinds only.
        private(set) var unusedRows: [String] = []

        init(with peer: PeerParser, _ theirs: [ParserVerdict?], of texts: [GeneratedResponse], ours: [ParserVerdict?]) {
            var used: [String: Set<DifferenceKind>] = [:]
            for index in texts.indices {
                let kinds = DifferenceKind.between(ours[index], theirs[index])
                guard !kinds.isEmpty else { continue }
                let text = ResponseText(texts[index])
                for kind in kinds {
                    let rows = KnownDifference.all.filter { $0.explains(kind, peer, text) }
                    if rows.isEmpty { unexplained.append("\(kind): \(texts[index])") }
                    if rows.count == 1 { used[rows[0].name, default: []].insert(kind) }
                }
            }
            for row in KnownDifference.all {
                guard let kinds = row.peers[peer] else { continue }
                let unused = kinds.subtracting(used[row.name] ?? [])
                if Volume.isFull || unused == kinds { unusedRows += unused.map { "\(row.name): \($0)" } }
            }
        }
    }

    extension KnownDifference {
        fileprivate func explains(_ kind: DifferenceKind, _ peer: PeerParser, _ text: ResponseText) -> Bool {
            peers[peer]?.contains(kind) == true && applies(text)
        }
    }
#endif
