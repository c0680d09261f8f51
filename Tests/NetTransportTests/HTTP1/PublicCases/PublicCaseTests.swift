#if os(Linux)
    import Testing

    @testable import NetTransport

    /// A response that the tests, or the reports, of another project are about.
    struct PublicCase: Sendable, CustomTestStringConvertible {
        enum Verdict: Equatable, Sendable {
            case refused(HTTP1ParseError)
            case accepted(Int, String, isReusable: Bool)
        }

        let name: String
        let text: String
        let isHead: Bool
        let verdict: Verdict

        init(_ name: String, _ text: String, _ verdict: Verdict, isHead: Bool = false) {
            (self.name, self.text, self.verdict, self.isHead) = (name, text, verdict, isHead)
        }

        static func refused(_ name: String, _ text: String, _ error: HTTP1ParseError) -> Self {
            Self(name, text, .refused(error))
        }

        var testDescription: String { name }
        var response: GeneratedResponse { GeneratedResponse(bytes: latin1(text), isHead: isHead, steps: [name]) }

        static func reply(_ status: String, _ fields: String, _ body: String = "") -> String {
            "HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n\(body)"
        }

        static func ok(_ fields: String, _ body: String = "") -> String { reply("200 OK", fields, body) }
        static func chunked(_ body: String) -> String { ok("Transfer-Encoding: chunked", body) }

        static let all = ofLLHTTP + ofH11 + ofGo + ofProxies
    }

    extension PublicCase.Verdict {
        /// A complete response after which the connection may be used again.
        static func reusable(_ code: Int = 200, _ body: String = "") -> Self { .accepted(code, body, isReusable: true) }
        static func reusable(_ body: String) -> Self { .reusable(200, body) }

        /// A complete response after which the connection must be closed.
        static func last(_ code: Int = 200, _ body: String = "") -> Self { .accepted(code, body, isReusable: false) }
        static func last(_ body: String) -> Self { .last(200, body) }
    }

    extension PublicCase {
        /// After reports of request smuggling through proxies: differences of two parsers on the way. Http11Probe lists most of them.
        static let ofProxies: [PublicCase] = [
            .refused("length 0 1", ok("Content-Length: 0 1"), .invalidContentLength),
            .refused("length +5", ok("Content-Length: +5", "hello"), .invalidContentLength),
            .refused("length -5", ok("Content-Length: -5"), .invalidContentLength),
            .refused("length 5,", ok("Content-Length: 5,", "hello"), .invalidContentLength),
            .refused("length 0x5", ok("Content-Length: 0x5", "hello"), .invalidContentLength),
            .refused("length of 2^64 + 5", ok("Content-Length: 18446744073709551621", "hello"), .invalidContentLength),
            .refused(
                "blank after Transfer-Encoding", ok("Transfer-Encoding : chunked\r\nContent-Length: 5", "0\r\n\r\n"),
                .blankBeforeColon),
            .refused("VT before chunked", ok("Transfer-Encoding: \u{0B}chunked", "0\r\n\r\n"), .unknownTransferCoding),
            .refused("quoted chunked", ok("Transfer-Encoding: \"chunked\"", "0\r\n\r\n"), .unknownTransferCoding),
            .refused("chunked;ext=val", ok("Transfer-Encoding: chunked;ext=val", "0\r\n\r\n"), .unknownTransferCoding),
            .init("tab after chunked", ok("Transfer-Encoding: chunked\t", "1\r\na\r\n0\r\n\r\n"), .reusable("a")),
            .refused("chunked twice", ok("Transfer-Encoding: chunked, chunked", "0\r\n\r\n"), .unknownTransferCoding),
            .init(
                "chunked in HTTP/1.0",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n1\r\na\r\n0\r\n\r\n",
                .last("a")),
            .refused("LF after an extension", chunked("5;\nhello\r\n0\r\n\r\n"), .missingChunkEnd),
            .refused("LF after a size", chunked("5\nhello\r\n0\r\n\r\n"), .missingChunkEnd),
            .refused("CR in an extension", chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), .missingChunkEnd),
            .refused("NUL in an extension", chunked("5;\0ext\r\nhello\r\n0\r\n\r\n"), .invalidChunkExtension),
            .refused("0x before a size", chunked("0x5\r\nhello\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("g as a digit", chunked("g\r\n0123456789abcdef\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("three empty lines first", "\r\n\r\n\r\nHTTP/1.1 204 x\r\n\r\n", .notHTTP),
            .refused("sign before a size", chunked("+5\r\nhello\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("underscore in a size", chunked("1_0\r\nhello world!!!!!\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("space before a size", chunked(" 5\r\nhello\r\n0\r\n\r\n"), .invalidChunkSize),
            .refused("size of 2^64", chunked("10000000000000000\r\n\r\n"), .chunkSizeOverflow),
            .refused("a byte more than the size", chunked("5\r\nhello!\r\n0\r\n\r\n"), .missingChunkEnd),
            .init("LF after trailers", chunked("5\r\nhello\r\n0\r\n\n"), .reusable("hello")),
            .init("a length in trailers", chunked("0\r\nContent-Length: 5\r\n\r\n"), .reusable()),
            .init("twice", ok("Content-Length: 2", "hiHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .last("hi")),
            .init("folded close", ok("Connection: x,\r\n close\r\nContent-Length: 0"), .last()),
        ]
    }

    /// The cases of other projects' tests, in our own table. ``DifferentialTests`` has other parsers read them.
    @Suite struct PublicCaseTests {
        @Test(arguments: PublicCase.all) func parserAgreesWithTheTable(_ example: PublicCase) {
            let response = example.response
            for pieces in [[response.bytes.count], Array(repeating: 1, count: response.bytes.count)] {
                let outcome = FeedOutcome(response.bytes, isHead: response.isHead, pieces: pieces)
                if case .failure(let error) = outcome.events.last {
                    #expect(example.verdict == .refused(error))
                } else {
                    #expect(ParserVerdict.ours(outcome).map(Self.verdict) == example.verdict)
                }
            }
        }

        private static func verdict(_ verdict: ParserVerdict) -> PublicCase.Verdict {
            .accepted(verdict.status, latin1(verdict.body), isReusable: verdict.isReusable)
        }
    }
#endif
