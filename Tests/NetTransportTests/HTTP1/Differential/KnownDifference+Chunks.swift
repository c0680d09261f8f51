#if os(Linux)
    import Foundation

    extension KnownDifference {
        /// The chunked coding.
        static let ofChunks: [KnownDifference] = [
            // RFC 9112, section 7.1.1: a recipient ought to limit extensions. Ours is 4096 bytes, without CRLF.
            .init("long chunk line", .weRefuse, .h11, .llhttp) { $0.chunkLines.contains { $0.utf8.count > 4096 } },
            // RFC 9112, section 7.1.1: a recipient ought to limit extensions. Go's limit is 4096 bytes with CRLF.
            .init("chunk line near the limit", .theyRefuse, .netHTTP) {
                $0.chunkLines.contains { 4094...4097 ~= $0.unicodeScalars.count }
            },
            // RFC 9112, section 7.1: a size has any number of digits. h11 accepts 20, and Go 16.
            .init("zeros before a chunk's size", .theyRefuse, .h11, .netHTTP) {
                $0.chunkLines.contains { $0.prefix(while: \.isHexDigit).utf8.count > 16 }
            },
            // RFC 9112, section 7.1.1: a recipient must ignore unknown extensions. We do not parse them. llhttp refuses blanks and other syntax.
            .init("chunk extension", .theyRefuse, .llhttp) { $0.chunkLines.contains { !isWellFormed($0) } },
            // RFC 9112, section 7.1.1: a recipient must accept blanks before the semicolon. h11 and Go do not.
            .init("blank before an extension", .theyRefuse, .h11, .netHTTP) {
                $0.chunkLines.contains { $0.contains(" ;") || $0.contains("\t;") }
            },
            // RFC 9112, section 7.1: a size has a digit. Go takes none for 0.
            .init("no chunk size", .weRefuse, .netHTTP) { $0.chunkLines.contains { $0.first?.isHexDigit != true } },
            // RFC 9112, section 7.1.1: it is not part of any extension.
            .init("control in an extension", .weRefuse, .h11, .netHTTP) {
                $0.chunkLines.contains { $0.has(.controls) || $0.has(["\0"]) }
            },
            // RFC 9112, section 7.1: the line ends with CRLF. Go accepts LF. h11 and Go accept CR in an extension.
            .init("CR or LF in a chunk line", .weRefuse, .h11, .netHTTP) {
                $0.chunkLines.contains { !$0.hasSuffix("\r") || $0.dropLast().has(["\r"]) }
            },
            // RFC 9112, section 2.2: a recipient may recognise a single LF. Go searches for CRLF CRLF at the end of the trailers.
            .init("trailers with lines of LF", .theyRefuse, .netHTTP) { $0.trailers.contains { !$0.hasSuffix("\r") } },
            // RFC 9110, section 6.6.2: Trailer is a hint. Go refuses names that must not be in trailers.
            .init("announced trailers", .theyRefuse, .netHTTP) { text in
                ["content-length", "transfer-encoding", "trailer"].contains {
                    ResponseText.has($0, in: "trailer", of: text.head)
                }
            },
            // RFC 9110, section 6.5.1: a recipient ignores such fields. h11 refuses those that are malformed, and llhttp Content-Length.
            .init("length in trailers", .theyRefuse, .h11, .llhttp) { text in
                ["content-length", "transfer-encoding"].contains { !ResponseText.values($0, in: text.trailers).isEmpty }
            },
        ]

        /// Whether a line is the size of a chunk with extensions by the letter of the RFC.
        private static func isWellFormed(_ line: String) -> Bool {
            let token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
            let value = "(\(token)|\"([^\"\\\\]|\\\\.)*\")"
            let pattern = "^[0-9A-Fa-f]+(;\(token)(=\(value))?)*\r?$"
            return line.range(of: pattern, options: .regularExpression) != nil
        }
    }
#endif
