import NetCore
import Testing

@Suite struct CredentialFieldsTests {
    let fields = CredentialFields.standard

    /// RFC 9110, section 18.4, and RFC 9111, section 9, but for the three credentials; RFC 9112's one field of framing.
    static let standardFields = """
        Accept Accept-Charset Accept-Encoding Accept-Language Accept-Ranges Allow Authentication-Info Connection Content-Encoding
        Content-Language Content-Length Content-Location Content-Range Content-Type Date ETag Expect From Host If-Match
        If-Modified-Since If-None-Match If-Range If-Unmodified-Since Last-Modified Location Max-Forwards Proxy-Authenticate
        Proxy-Authentication-Info Range Referer Retry-After Server TE Trailer Upgrade User-Agent Vary Via WWW-Authenticate
        Age Cache-Control Expires Pragma Warning Transfer-Encoding
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static let messageFields = [
        "X-Request-ID", "X-Correlation-ID", "Request-Id", "traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId",
        "x-b3-spanid", "X-B3-Sampled", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context", "Idempotency-Key",
        "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions",
    ]

    @Test("Fields of RFC 9110, 9111 and tracing are harmless in any case", arguments: standardFields + messageFields)
    func harmlessFields(name: String) {
        for name in [name, name.uppercased(), name.lowercased()] { #expect(!fields.isCredential(name)) }
    }

    /// Every other field is a credential.
    @Test(arguments: [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Session", "Token",
        "X-Tenant", "X-Amz-Security-Token", "X-API-Key", "X-CSRF-Token", "apikey", "X-Forwarded-For", "Origin",
        "Cache-Status", "X-RateLimit-Limit", "Sec-WebSocket-Protocol",
        // Close to harmless ones.
        "", "X", "X-B3", "X-B3-", "B3-", "Y-B3-TraceId", "X-B4-TraceId", "Date ", " Date", "Datee", "Dat",
        "D\u{0}te", "X_Request_ID", "Accept\u{301}", "\u{212A}eep-Alive", "Tracesta\u{FF54}e",
        "x-a-name-that-is-longer-than-any-harmless-one-by-far",
    ]) func credentialFields(name: String) { #expect(fields.isCredential(name)) }

    @Test("Names that differ from a harmless one in any byte are credentials")
    func similarNames() {
        for name in Self.standardFields {
            let bytes = Array(name.utf8)
            for index in bytes.indices {
                for replacement: UInt8 in [0x21, 0x30, 0x5A, 0x5F, 0x7E] {
                    if replacement | 0x20 == bytes[index] | 0x20 { continue }
                    var changed = bytes
                    changed[index] = replacement
                    let other = String(decoding: changed, as: UTF8.self)
                    if Self.standardFields.contains(where: { $0.equalsIgnoringASCIICase(other) }) { continue }
                    #expect(fields.isCredential(other), "\(other)")
                }
            }
        }
    }

    @Test("Added names are harmless; the credentials of HTTP stay credentials")
    func addedNames() {
        let fields = CredentialFields(harmless: [
            "X-Feature-Flag", "x-client-version", "Cookie", "authorization", "PROXY-AUTHORIZATION",
        ])
        for name in ["x-feature-flag", "X-Client-Version", "Accept"] { #expect(!fields.isCredential(name)) }
        for name in ["Cookie", "Authorization", "Proxy-Authorization", "X-Feature"] {
            #expect(fields.isCredential(name))
        }
        #expect(CredentialFields.standard.isCredential("X-Feature-Flag"))
    }

    @Test("Equality ignores order, case and duplicates")
    func equality() {
        #expect(
            CredentialFields(harmless: ["X-A", "X-B"]) == CredentialFields(harmless: ["x-b", "X-a", "X-A", "Accept"]))
        #expect(CredentialFields(harmless: ["X-A"]) != .standard)
        #expect(CredentialFields(harmless: [] as Set<String>) == .standard)
    }
}
