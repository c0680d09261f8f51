@testable import NetClient

@Suite struct RequestValidationTests {
    private let transport = StubTransport()

    @Test(arguments: [
        "file:///etc/passwd", "ftp://a.example/", "/relative", "relative", "http://", "https:///p", "http://u@/",
        "data:,x", "javascript:alert(1)",
    ]) func otherSchemesAndURLsWithoutAHostAreInvalid(_ url: String) async throws {
        guard let url = URL(string: url) else { return }
        let failure = try await failure { try await NetworkClient(transport: transport).send(URLRequest(url: url)) }
        #expect(failure.cause == .invalidURL && failure.retryAttempt == nil && transport.exchanges.isEmpty)
    }

    @Test(arguments: ["1\r\nX-Evil: 1", "1\n2", "1\r2", "1\u{0}2", "1\u{1}2", "1\u{1B}[2J", "1\u{8}2", "1\u{7F}2"])
    func headerWithControlCharactersIsRefused(_ value: String) async throws {
        // Assigned as a whole: on Linux `setValue` drops such a field.
        let request = try request(headers: ["X-A": value, "Accept": "a/b"])
        let failure = try await failure { try await NetworkClient(transport: transport).send(request) }
        #expect(failure.cause == .invalidRequest && failure.underlyingError is RequestBuildingError)
        #expect(failure.description.contains("'X-A'") && transport.exchanges.isEmpty)
    }

    @Test func controlCharactersAreRefusedFromEachSourceOfHeaders() async throws {
        let hook = Hook { $0 = $0.adding("s3cr3t\u{1}") }
        let middleware = Before { request, _ in request = request.adding("s3cr3t\u{1}") }
        struct Shop: NetworkEnvironment {
            let baseURL = URL(fileURLWithPath: "/")
            var defaultHeaders: [String: String] { ["X-A": "s3cr3t\u{1}"] }
        }
        let bad: HTTPHeaders = ["X-A": "s3cr3t\u{1}"]
        func expectRefused(
            _ source: String, _ change: (inout NetworkClient.Configuration) -> Void = { _ in },
            sending send: (NetworkClient) async throws -> Void = { _ = try await $0.send(request()) }
        ) async throws {
            let transport = StubTransport()
            var configuration = NetworkClient.Configuration()
            configuration.transport = transport
            change(&configuration)
            let client = NetworkClient(configuration: configuration)
            let failure = try await failure { try await send(client) }
            #expect(failure.cause == .invalidRequest && transport.exchanges.isEmpty, "\(source)")
            #expect(failure.underlyingError is RequestBuildingError, "\(source): \(failure)")
            #expect(!failure.description.contains("s3cr3t"), "\(source)")
            #expect(!source.hasPrefix("hook") || failure.description.contains("'X-A'"), "\(source)")
        }
        let (raw, text) = (try request().adding("s3cr3t\u{1}"), Request<String>(absoluteURL: try url(), headers: bad))
        try await expectRefused("URLRequest", sending: { _ = try await $0.send(raw) })
        try await expectRefused("Request", sending: { _ = try await $0.send(text) })
        try await expectRefused("middleware", { $0.interceptors = [middleware] })
        try await expectRefused("hook", { $0.interceptors = [hook] })
        try await expectRefused("call interceptor", { $0.callInterceptors = [middleware] })
        try await expectRefused("hook of the call", { $0.callInterceptors = [hook] })
        try await expectRefused("default field", { $0.transportConfiguration.additionalHeaders = bad })
        try await expectRefused("environment", { $0.environment = Shop() })
        try await expectRefused("user agent", { $0.userAgent = "s3cr3t\u{1}" })
        try await expectRefused("credentials", { $0.interceptors = [AuthInterceptor.bearer("s3cr3t\u{1}")] })
    }

    @Test func invalidHeaderNamesAndMethodsAreRefused() async throws {
        for request in [try request(headers: ["X A": "1"]), try request("https://a.example/", "GE T")] {
            #expect(
                try await failure { try await NetworkClient(transport: transport).send(request) }.cause
                    == .invalidRequest)
        }
    }
}

extension URLRequest {
    /// Assigned as a whole: on Linux `setValue` drops a field with a line break.
    fileprivate func adding(_ value: String) -> URLRequest {
        var copy = self
        copy.allHTTPHeaderFields = (allHTTPHeaderFields ?? [:]).merging(["X-A": value]) { $1 }
        return copy
    }
}

@Suite struct HTTPHeadersDefaultTests {
    @Test func userAgentNamesTheClient() throws {
        let agent = try #require(HTTPHeaders.default["User-Agent"])
        // RFC 9110, section 10.1.5: products and comments.
        let pattern = #/[!#$%&'*+\-.^_`|~0-9A-Za-z]+(/[^ ]+)? \([A-Za-z]+\) Networking/\d+\.\d+\.\d+/#
        #expect(try pattern.wholeMatch(in: agent) != nil, "\(agent)")
        #expect(agent.hasSuffix(" Networking/\(HTTPHeaders.sdkVersion)"))
        #if os(Linux)
            #expect(agent.contains(" (Linux) "))
        #endif
    }

    /// Seed 000: "No default Accept-Encoding".
    @Test func acceptLanguageAndNoAcceptEncoding() {
        #expect(HTTPHeaders.default["Accept-Language"] == HTTPHeaders.acceptLanguage(for: Locale.preferredLanguages))
        #expect(!HTTPHeaders.default.contains(name: "Accept-Encoding") && HTTPHeaders.default.firstInvalid == nil)
    }

    @Test(
        arguments: [
            ([], nil), (["", ""], nil), (["de"], "de"), (["de-CH", "", "en"], "de-CH, en;q=0.9"),
            (["a", "b", "c", "d", "e", "f", "g"], "a, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5"),
        ] as [([String], String?)])
    func languagesHaveQualityValues(_ languages: [String], as value: String?) {
        #expect(HTTPHeaders.acceptLanguage(for: languages) == value)
    }
}
