#if os(Linux)
    @testable import NetTransport

    /// What a parser makes of a response after which the connection is closed.
    struct ParserVerdict: Equatable {
        /// The status of the final response.
        var status: Int
        /// Whether the connection may be used again, if it is not closed after all.
        var isReusable: Bool
        var body: [UInt8]
        /// `name:value`, in the order of the text.
        var trailers: [String]
    }

    extension ParserVerdict {
        /// The verdict of our parser, or nil if it refuses the response.
        static func ours(_ response: GeneratedResponse) -> ParserVerdict? {
            let outcome = FeedOutcome(response.bytes, isHead: response.isHead, pieces: [response.bytes.count])
            var verdict = ParserVerdict(status: 0, isReusable: outcome.isReusable, body: [], trailers: [])
            for event in outcome.events {
                switch event {
                case .interim: break
                case .head(let status, _, _): verdict.status = status
                case .upgrade: verdict.status = 101
                case .body(let text): verdict.body += latin1(text)
                case .end(let trailers):
                    verdict.trailers = lines(of: trailers ?? "")
                    return verdict
                case .failure: return nil
                }
            }
            return nil
        }

        private static func lines(of trailers: String) -> [String] {
            latin1(trailers).withUnsafeBytes { HeaderBlockParser.fieldLines(in: $0) }
                .map { "\($0.name.lowercased()):\($0.value)" }.sorted()
        }

        /// Reads a line that a peer wrote.
        init?(line: Substring) {
            let words = line.split(separator: " ")
            guard words.count == 4, let status = Int(words[0]) else { return nil }
            let trailers = Self.bytes(words[3]).split(separator: 0x0A)
                .map { String(validating: $0, as: UTF8.self) ?? latin1($0) }.sorted()
            self.init(status: status, isReusable: words[1] == "1", body: Self.bytes(words[2]), trailers: trailers)
        }

        /// The bytes of hexadecimal digits after a full stop.
        private static func bytes(_ word: Substring) -> [UInt8] {
            var digits = word.utf8.dropFirst().makeIterator()
            var bytes: [UInt8] = []
            while let high = digits.next()?.hexadecimalDigit, let low = digits.next()?.hexadecimalDigit {
                bytes.append(high << 4 | low)
            }
            return bytes
        }
    }
#endif
