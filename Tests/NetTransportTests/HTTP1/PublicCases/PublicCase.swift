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
        /// The reason why llhttp, in its strict mode, reads the response in another way. Nil if it does not.
        let llhttp: String?

        init(_ name: String, _ text: String, _ verdict: Verdict, isHead: Bool = false, llhttp: String? = nil) {
            (self.name, self.text, self.verdict, self.isHead, self.llhttp) = (name, text, verdict, isHead, llhttp)
        }

        static func refused(_ name: String, _ text: String, _ error: HTTP1ParseError, llhttp: String? = nil) -> Self {
            Self(name, text, .refused(error), llhttp: llhttp)
        }

        var testDescription: String { name }
        var response: GeneratedResponse { GeneratedResponse(bytes: latin1(text), isHead: isHead, steps: [name]) }

        static func reply(_ status: String, _ fields: String, _ body: String = "") -> String {
            "HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n\(body)"
        }

        static func ok(_ fields: String, _ body: String = "") -> String { reply("200 OK", fields, body) }
        static func chunked(_ body: String) -> String { ok("Transfer-Encoding: chunked", body) }

        /// Reasons that several cases have.
        enum Reason {
            static let singleLF = "RFC 9112, section 2.2: a recipient may recognise a single LF."
            static let fold = "RFC 9112, section 5.2: a user agent replaces a fold with spaces."
            static let blanksAfterSize = "RFC 9112, section 7.1.1: blanks may follow the size. Some servers pad it."
            static let blanksAfterValue = "RFC 9110, section 5.5: blanks after a value are not part of it."
            static let coding = "RFC 9112, section 6.1: the request asks for no coding but chunked."
            static let unknownExtension =
                "RFC 9112, section 7.1.1: a recipient must ignore unknown extensions. We do not parse them."
        }

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
#endif
