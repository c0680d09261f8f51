#if os(Linux)
    import Testing

    @testable import NetTransport

    /// A response that the tests, or the reports, of another project are about. What ``HeadTests`` and ``BodyTests`` have is not repeated.
    struct PublicCase: Sendable, CustomTestStringConvertible {
        enum Verdict: Equatable, Sendable {
            case refused(HTTP1ParseError)
            case accepted(Int, String, isReusable: Bool)
        }

        let name: String
        let text: String
        let isHead: Bool
        let verdict: Verdict
        /// The reason why llhttp, in its strict mode, reads the response in another way. Nil if it does not.
        let llhttp: String?

        init(_ name: String, _ text: String, _ verdict: Verdict, isHead: Bool = false, llhttp: String? = nil) {
            self.name = name
            self.text = text
            self.isHead = isHead
            self.verdict = verdict
            self.llhttp = llhttp
        }

        /// - Parameter rest: what follows the status line of a 200.
        init(_ name: String, ok rest: String, _ verdict: Verdict, isHead: Bool = false, llhttp: String? = nil) {
            self.init(name, "HTTP/1.1 200 OK\r\n" + rest, verdict, isHead: isHead, llhttp: llhttp)
        }

        /// - Parameter chunks: what follows the head of a response with chunks.
        init(_ name: String, chunked chunks: String, _ verdict: Verdict, isHead: Bool = false, llhttp: String? = nil) {
            self.init(name, ok: "Transfer-Encoding: chunked\r\n\r\n" + chunks, verdict, isHead: isHead, llhttp: llhttp)
        }

        var testDescription: String { name }
        var response: GeneratedResponse { GeneratedResponse(bytes: latin1(text), isHead: isHead, steps: [name]) }

        static let all = ofLLHTTP + ofH11 + ofGo + ofProxies
    }

    extension PublicCase.Verdict {
        /// A complete response after which the connection may be used again.
        static func reusable(_ status: Int = 200, _ body: String = "") -> Self {
            .accepted(status, body, isReusable: true)
        }

        /// A complete response after which the connection must be closed.
        static func last(_ status: Int = 200, _ body: String = "") -> Self {
            .accepted(status, body, isReusable: false)
        }
    }
#endif
