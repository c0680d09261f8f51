@Suite struct RedirectTests {
    /// Sends a request that is redirected once.
    static func follow(
        _ status: Int = 302, to location: String, from url: String = "https://a.example/start",
        method: HTTPMethod = .get, headers: [String: String] = [:], body: HTTPBody? = nil,
        policy: RedirectPolicy = .default
    ) async throws -> (response: TransportResponse, exchanges: [StubTransport.Exchange]) {
        let transport = StubTransport(
            .success(answer(status, headers: ["Location": location])), .success(answer(200, "there")))
        let client = NetworkClient(transport: transport, redirectPolicy: policy)
        let response = try await client.response(for: request(url, method, headers: headers), body: body)
        return (response, transport.exchanges)
    }

    private func refusal(
        _ location: String, from url: String = "https://a.example/start", policy: RedirectPolicy = .default
    ) async throws -> RedirectPolicy.Refusal.Reason? {
        let failure = try await failure { try await Self.follow(to: location, from: url, policy: policy) }
        #expect(failure.statusCode == 302 && failure.code == "request_failed" && failure.request?.url?.path == "/start")
        return (failure.underlyingError as? RedirectPolicy.Refusal)?.reason
    }

    /// RFC 9110, section 15.4. A POST becomes a GET after 301 and 302.
    @Test(
        arguments: [301, 302, 303, 307, 308],
        [HTTPMethod.get, .head, .post, .put, .patch, .delete, HTTPMethod(rawValue: "PROPFIND")])
    func methodAndBody(_ status: Int, method: HTTPMethod) async throws {
        var headers = ["Content-Type": "a/b", "Content-Encoding": "x", "Content-Digest": "y", "Accept": "c/d"]
        headers["Expect"] = "100-continue"
        let body = [.get, .head].contains(method) ? nil : HTTPBody("data")
        let (response, exchanges) = try await Self.follow(
            status, to: "/there", method: method, headers: body == nil ? [:] : headers, body: body)
        #expect(response.status == 200 && response.body.data == Data("there".utf8))
        #expect(response.url?.absoluteString == "https://a.example/there")
        try #require(exchanges.count == 2)
        let expected: HTTPMethod =
            switch (status, method) {
            case (303, .head): .head
            case (303, _), (301, .post), (302, .post): .get
            default: method
            }
        #expect(exchanges[1].request.httpMethod == expected.rawValue)
        let keepsBody = body != nil && expected == method
        #expect(exchanges[1].body == (keepsBody ? Data("data".utf8) : nil))
        #expect(exchanges[1].request.ownFields == (body == nil ? [:] : keepsBody ? headers : ["Accept": "c/d"]))
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 400]) func otherStatusesAreReturned(_ status: Int) async throws {
        let (response, exchanges) = try await Self.follow(status, to: "/there")
        #expect(response.status == status && exchanges.count == 1)
    }

    @Test func redirectWithoutALocationIsReturned() async throws {
        let client = NetworkClient(transport: StubTransport(.success(answer(302, "here"))))
        let response = try await client.response(for: request())
        #expect(response.status == 302 && response.body.data == Data("here".utf8))
    }

    // MARK: Credentials

    private static let credentials = [
        "Authorization": "t", "cookie": "c", "Proxy-Authorization": "p", "X-API-Key": "k",
        "X-Session": "s", "X-Request-ID": "o", "Host": "a.example",
    ]

    @Test(arguments: [
        ("https://a.example/start", "/there"), ("https://a.example/start", "https://A.example:443/there"),
        ("http://a.example:8080/start", "http://a.example:8080/there"), ("http://[::1]/start", "http://[::1]:80/there"),
    ]) func redirectToTheSameOriginKeepsCredentials(_ url: String, location: String) async throws {
        let (_, exchanges) = try await Self.follow(to: location, from: url, headers: Self.credentials)
        var expected = Self.credentials
        expected["Host"] = nil
        #expect(exchanges.last?.request.ownFields == expected)
    }

    @Test(arguments: [
        ("https://a.example/start", "https://b.example/"), ("https://a.example/start", "https://a.example:444/"),
        ("http://a.example/start", "https://a.example/"), ("https://a.example/start", "//www.a.example/"),
        ("https://a.example/start", "https://a.example@b.example/"), ("https://a.example/start", "https://a.example./"),
    ]) func redirectToAnotherOriginDropsCredentials(_ url: String, location: String) async throws {
        let (_, exchanges) = try await Self.follow(to: location, from: url, headers: Self.credentials)
        #expect(exchanges.count == 2 && exchanges.last?.request.ownFields == ["X-Request-ID": "o"])
    }

    /// Rule 13. Credentials of HTTP are dropped even if the policy names them.
    @Test(arguments: [
        (["x-session"], ["X-Request-ID": "o", "X-Session": "s"]), (["Authorization", "cookie"], ["X-Request-ID": "o"]),
    ]) func crossOriginFieldsAreKept(_ fields: [String], sent: [String: String]) async throws {
        var policy = RedirectPolicy.default
        policy.crossOriginFields = Set(fields)
        let (_, exchanges) = try await Self.follow(to: "https://b.example/", headers: Self.credentials, policy: policy)
        #expect(exchanges.last?.request.ownFields == sent)
    }

    @Test func redirectThereAndBackDoesNotRestoreTheCallersCredentials() async throws {
        let transport = StubTransport(
            .success(answer(302, headers: ["Location": "https://b.example/"])),
            .success(answer(302, headers: ["Location": "https://a.example/back"])), .success(answer()))
        _ = try await NetworkClient(transport: transport).response(for: request(headers: ["Authorization": "t"]))
        #expect(transport.sent("Authorization") == ["t", nil, nil])
    }

    @Test func contextKeepsIdentityAndOrigin() async throws {
        let contexts = try await Self.follow(to: "https://b.example/").exchanges.map(\.context)
        #expect(contexts.count == 2 && contexts[0].id == contexts[1].id)
        #expect(contexts.allSatisfy { $0.origin?.absoluteString == "https://a.example/start" })
    }

    // MARK: Schemes

    @Test func redirectFromHTTPSToHTTPIsRefused() async throws {
        for location in ["http://a.example/", "HTTP://a.example/"] { #expect(try await refusal(location) == .insecure) }
        let (response, exchanges) = try await Self.follow(
            to: "http://a.example/", headers: Self.credentials, policy: RedirectPolicy(allowsInsecure: true))
        #expect(response.status == 200 && exchanges.last?.request.ownFields == ["X-Request-ID": "o"])
    }

    @Test func redirectFromHTTPSToHTTPIsRefusedAtEachHop() async throws {
        let transport = StubTransport(
            .success(answer(302, headers: ["Location": "https://a.example/"])),
            .success(answer(302, headers: ["Location": "http://a.example/"])), .success(answer()))
        let client = NetworkClient(transport: transport)
        let failure = try await failure { try await client.response(for: request("http://a.example/")) }
        #expect((failure.underlyingError as? RedirectPolicy.Refusal)?.reason == .insecure)
        #expect(failure.description.contains("allowsInsecure") && transport.exchanges.count == 2)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://a.example/", "javascript:alert(1)", "data:text/html,x", "mailto:a@b.example",
        "ws://a.example/", "httpx://a.example/",
    ]) func otherSchemesAreRefused(_ location: String) async throws {
        #expect(try await refusal(location, policy: RedirectPolicy(allowsInsecure: true)) == .scheme)
    }

    @Test(arguments: [
        "", " ", "\t", "http://[::1", "http://[::1/", "http://a b/", "http://a:b/", "https://", "https:///p", "https:p",
        "http://:80/", "https://u@/",
    ]) func malformedLocationsAreRefused(_ location: String) async throws {
        #expect(try await refusal(location) == .malformedLocation)
    }

    // MARK: Bodies

    @Test(arguments: [307, 308]) func redirectOfAOneShotBodyFails(_ status: Int) async throws {
        let body = oneShot("data")
        let failure = try await failure { try await Self.follow(status, to: "/there", method: .post, body: body) }
        #expect(failure.cause == .bodyNotReplayable && failure.statusCode == status)
        #expect(failure.request?.url?.path == "/start")
    }

    @Test func redirectOfAOneShotBodyToGET() async throws {
        let (response, exchanges) = try await Self.follow(303, to: "/there", method: .post, body: oneShot("data"))
        #expect(response.status == 200 && exchanges.map(\.body) == [Data("data".utf8), nil])
    }

    @Test func brokenBodyOfARedirectIsIgnored() async throws {
        let redirect = TransportResponse(
            status: 302, headers: ["Location": "/there"], url: nil, body: HTTPBody(pulling: { throw lostConnection }))
        let transport = StubTransport(.success(redirect), .success(answer(200, "there")))
        #expect(try await NetworkClient(transport: transport).send(request()).status == 200)
    }
}
