import NetTesting
import Networking
import Testing

/// Seed 000, chapter HTTPHeaders: the snippets through `import Networking`, and what arrives at a server.
/// `NetCoreTests` has the rest of the type's behaviour.
@Suite struct HTTPHeadersChapterTests {
    let server: MockServer

    init() throws { server = try MockServer { _ in .ok } }

    private func received(_ headers: HTTPHeaders) async throws -> HTTPHeaders {
        try await Networking().request(url: server.url("/"), headers: headers)
        return try await server.takeRequest().headers
    }

    /// Section 1, TL;DR.
    @Test func tooLongDidNotRead() async throws {
        let token = "t0k"

        var headers = HTTPHeaders([
            .contentType("application/json"),
            .accept("application/json"),
        ])

        headers.add(.authorization(bearerToken: token))
        /// overwrite or insert
        headers.remove(name: "User-Agent")
        /// case-insensitive

        let dict: [String: String] = headers.dictionary
        /// feed to URLRequest
        #expect(
            dict == ["Content-Type": "application/json", "Accept": "application/json", "Authorization": "Bearer t0k"])
        let received = try await received(headers)
        #expect((received["authorization"], received.values(for: "Accept")) == ("Bearer t0k", ["application/json"]))
    }

    /// Section 3.1: every factory, by the name and the value that it sends.
    @Test(arguments: [
        (HTTPHeader(name: "X-A", value: "1"), "X-A", "1"), (.accept("a"), "Accept", "a"),
        (.acceptCharset("b"), "Accept-Charset", "b"), (.acceptLanguage("c"), "Accept-Language", "c"),
        (.acceptEncoding("identity"), "Accept-Encoding", "identity"),
        (.authorization(username: "leia", password: "rebel"), "Authorization", "Basic bGVpYTpyZWJlbA=="),
        (.authorization(bearerToken: "d"), "Authorization", "Bearer d"),
        (.contentDisposition("e"), "Content-Disposition", "e"), (.contentEncoding("f"), "Content-Encoding", "f"),
        (.contentType("g"), "Content-Type", "g"), (.userAgent("h"), "User-Agent", "h"),
    ]) func factories(header: HTTPHeader, name: String, value: String) async throws {
        #expect(try await (header.name, received(HTTPHeaders([header])).values(for: name)) == (name, [value]))
    }

    /// Section 3.2: every call, and section 2, Design Goals: no duplicates, look-ups without regard to case.
    @Test func calls() {
        var headers = HTTPHeaders()
        #expect(headers.dictionary.isEmpty)
        let last = HTTPHeaders([.accept("first"), HTTPHeader(name: "ACCEPT", value: "last")])
        #expect((last.dictionary, last["accept"]) == (["ACCEPT": "last"], "last"))
        #expect(HTTPHeaders(["X-A": "1"]).dictionary == ["X-A": "1"])
        headers.add(.accept("1"))
        headers.add(name: "accept", value: "2")
        #expect(headers["Accept"] == "2")
        headers.update(.accept("3"))
        headers.update(name: "ACCEPT", value: "4")
        #expect(headers["Accept"] == "4")
        headers.remove(name: "aCCept")
        #expect(headers == HTTPHeaders())
    }

    /// Section 4.1, Attaching to URLRequest.
    @Test func attachingToURLRequest() async throws {
        let someURL = server.url("/")
        let headers: HTTPHeaders = ["X-One": "1", "X-Two": "2"]

        var request = URLRequest(url: someURL)
        headers.dictionary.forEach { request.setValue($0.value, forHTTPHeaderField: $0.key) }

        _ = try await Networking().client.data(for: request)
        let received = try await server.takeRequest().headers
        #expect(received["X-One"] == "1" && received["X-Two"] == "2")
    }

    /// Section 4.2, Building an Accept-Language Automatically.
    @Test func acceptLanguage() async throws {
        let preferred = Locale.preferredLanguages
            .prefix(6)/// RFC < 6 items recommended
            .enumerated()
            .map { "\($0.element);q=\(1.0 - 0.1*Double($0.offset))" }
            .joined(separator: ", ")

        let headers = HTTPHeaders([.acceptLanguage(preferred)])
        #expect(try await received(headers)["Accept-Language"] == (preferred.isEmpty ? "" : preferred))
    }

    /// Section 4.3: the usage. The subscript is part of `HTTPHeaders` and needs no extension.
    @Test func subscripting() async throws {
        var headers = HTTPHeaders()
        let id = UUID().uuidString
        headers["X-Correlation-Id"] = id
        #expect(try await received(headers)["x-correlation-id"] == id)
        headers["x-correlation-id"] = nil
        #expect(headers.isEmpty)
    }

    /// Section 5, Possible Extensions: all four are there.
    @Test func possibleExtensions() throws {
        let literal: HTTPHeaders = ["Accept": "a"]
        #expect(literal.map(\.name) == ["Accept"])
        #expect(try JSONDecoder().decode(HTTPHeaders.self, from: JSONEncoder().encode(literal)) == literal)
        #expect(HTTPHeader.json() == .contentType("application/json"))
    }

    /// Section 6, Integration Tips: no `Accept-Encoding` of our own.
    @Test func noDefaultAcceptEncoding() { #expect(!HTTPHeaders.default.contains(name: "Accept-Encoding")) }
}

/// Seed 000, chapter HTTPMethod.
@Suite struct HTTPMethodChapterTests {
    /// Section 1, Quick Look.
    @Test func quickLook() {
        let httpMethod = HTTPMethod.post.rawValue  // "POST"
        #expect(httpMethod == "POST")
        let method = HTTPMethod(rawValue: "GET")
        if method == .get {} else { Issue.record("if method == .get { … }") }
    }

    /// Section 2, Cheat-Sheet: what is idempotent, cacheable and safe.
    ///
    /// PUT and DELETE are not safe, PATCH, POST and CONNECT nothing.
    @Test(arguments: [
        (HTTPMethod.get, true, true, true), (.head, true, true, true), (.options, true, false, true),
        (.trace, true, false, true), (.put, true, false, false), (.delete, true, false, false),
        (.patch, false, false, false), (.post, false, false, false), (.connect, false, false, false),
    ]) func cheatSheet(method: HTTPMethod, idempotent: Bool, cacheable: Bool, safe: Bool) {
        #expect((method.isIdempotent, method.isCacheable, method.isSafe) == (idempotent, cacheable, safe))
    }

    /// "Raw-value = uppercase string": each arrives as it is, but CONNECT, which is the proxy's.
    @Test(arguments: HTTPMethod.allCases.filter { $0 != .connect && $0 != .trace })
    func arrives(method: HTTPMethod) async throws {
        let server = try MockServer { _ in .ok }
        try await Networking().request(url: server.url("/"), method: method)
        #expect(try await (server.takeRequest().method, method.rawValue) == (method, method.rawValue.uppercased()))
        await server.stop()
    }
}

/// Seed 000, chapter StatusCodeType.
@Suite struct StatusCodeTypeChapterTests {
    /// Section 1, Cheat-Sheet: the edges of each bucket.
    @Test(arguments: [
        (99, StatusCodeType.unknown), (100, .informational), (199, .informational), (200, .successful),
        (299, .successful), (300, .redirection), (399, .redirection), (400, .clientError), (499, .clientError),
        (500, .serverError), (599, .serverError), (600, .unknown), (-999, .cancelled), (0, .unknown),
    ]) func cheatSheet(code: Int, type: StatusCodeType) { #expect(code.statusCodeType == type) }

    /// Section 2, Usage.
    @Test(arguments: [
        (204, "success"), (422, "alert: Check your input"), (503, "back-off"), (304, "log: Unrecognised code: 304"),
    ]) func usage(status: Int, expected: String) async throws {
        let server = try MockServer { _ in .status(status) }
        let response: NetworkResponse<Void> = await Networking().request(RequestConfig(url: server.url("/")))
        let httpResponse = try #require(response.response as? HTTPURLResponse)
        await server.stop()

        let print = Transcript()
        func handleSuccess() { print("success") }
        func showAlert(_ text: String) { print("alert:", text) }
        func retryWithExponentialBackoff() { print("back-off") }
        func log(_ text: String) { print("log:", text) }

        let responseCode = httpResponse.statusCode

        switch responseCode.statusCodeType {
        case .successful:
            handleSuccess()
        case .clientError:
            showAlert("Check your input")
        case .serverError:
            retryWithExponentialBackoff()
        case .cancelled:
            print("User cancelled")
        default:
            log("Unrecognised code: \(responseCode)")
        }
        #expect(print.texts == [expected])
    }
}
