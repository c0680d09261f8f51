@Suite struct RedirectPolicyTests {
    /// Follows `/0` to `/1`, and so on to `/last`. Returns the final status and the number of requests.
    private func run(last: Int, policy: RedirectPolicy) async throws -> (status: Int, sent: Int) {
        let transport = chain(last: last)
        let client = NetworkClient(transport: transport, redirectPolicy: policy)
        let response = try await client.response(for: request("https://a.example/0"))
        return (response.status, transport.exchanges.count)
    }

    private func chain(last: Int) -> StubTransport {
        StubTransport { request, _, _ in
            let number = request.url.flatMap { Int($0.lastPathComponent) } ?? 0
            return number < last ? answer(302, headers: ["Location": "/\(number + 1)"]) : answer()
        }
    }

    @Test func twentyRedirectsAreFollowed() async throws {
        #expect(try await run(last: 20, policy: .default) == (200, 21))
        let transport = chain(last: 21)
        let client = NetworkClient(transport: transport)
        let failure = try await failure { try await client.response(for: request("https://a.example/0")) }
        #expect(failure.cause == .tooManyRedirects && failure.statusCode == 302)
        #expect(failure.request?.url?.path == "/20" && transport.exchanges.count == 21 && failure.redirects.count == 20)
    }

    @Test(arguments: [0, -1, .min]) func limitOfZeroRefusesRedirects(_ limit: Int) async throws {
        let policy = RedirectPolicy(limit: limit)
        #expect(try await run(last: 0, policy: policy) == (200, 1))
        let failure = try await failure { try await run(last: 1, policy: policy) }
        #expect(failure.cause == .tooManyRedirects && failure.request?.url?.path == "/0")
    }

    @Test func doNotFollow() async throws { #expect(try await run(last: 1, policy: .doNotFollow) == (302, 1)) }

    @Test(arguments: ["", "http://[", "ftp://a.example/"]) func doNotFollowReturnsAnyLocation(_ location: String)
        async throws
    {
        let transport = StubTransport { _, _, _ in answer(302, headers: ["Location": location]) }
        let client = NetworkClient(transport: transport, redirectPolicy: .doNotFollow)
        #expect(try await client.response(for: request()).headers["Location"] == location)
        var policy = RedirectPolicy.doNotFollow
        policy.decide = { _ in .follow }
        #expect(try await run(last: 1, policy: policy) == (200, 2))
    }

    /// Follows the proposed request after a change.
    private func followChanging(
        _ status: Int = 302, to location: String = "/there", method: HTTPMethod = .get, headers: [String: String] = [:],
        body: HTTPBody? = nil, _ change: @escaping @Sendable (inout URLRequest) throws -> Void
    ) async throws -> [StubTransport.Exchange] {
        let policy = RedirectPolicy(decide: { proposal in
            var request = proposal.request
            try change(&request)
            return .followWith(request)
        })
        return try await RedirectTests.follow(
            status, to: location, method: method, headers: headers, body: body, policy: policy
        ).exchanges
    }

    @Test func hookGetsTheProposal() async throws {
        let seen = Locked<[RedirectPolicy.Proposal]>([])
        let transport = chain(last: 2)
        let policy = RedirectPolicy(decide: { proposal in
            seen.withLock { $0.append(proposal) }
            return .follow
        })
        _ = try await NetworkClient(transport: transport, redirectPolicy: policy)
            .response(for: request("https://a.example/0"))
        let proposals = seen.withLock { $0 }
        #expect(proposals.map(\.count) == [0, 1] && proposals.map(\.request.url?.path) == ["/1", "/2"])
        #expect(proposals.map(\.response.status) == [302, 302])
    }

    @Test func errorOfTheHookEndsTheCall() async throws {
        let failure = try await failure { try await followChanging { _ in throw PluginError() } }
        #expect(failure.underlyingError is PluginError)
        let own = try await TestLab.failure { try await followChanging { _ in throw NetworkError.noData } }
        #expect(own.cause == .noData)
    }

    @Test func requestOfTheHookIsSent() async throws {
        let exchanges = try await followChanging {
            $0.url = URL(string: "https://a.example/elsewhere")
            $0.setValue("1", forHTTPHeaderField: "X-A")
        }
        #expect(exchanges[1].request.url?.path == "/elsewhere")
        #expect(exchanges[1].request.value(forHTTPHeaderField: "X-A") == "1")
    }

    @Test(
        arguments: [
            ("ftp://a.example/", .scheme), ("file:///x", .scheme), ("/p", .scheme), ("http://a.example/", .insecure),
        ] as [(String, RedirectPolicy.Refusal.Reason)])
    func urlOfTheHookIsChecked(_ url: String, reason: RedirectPolicy.Refusal.Reason) async throws {
        let failure = try await failure { try await followChanging { $0.url = URL(string: url) } }
        #expect((failure.underlyingError as? RedirectPolicy.Refusal)?.reason == reason)
    }

    @Test func headersOfTheHookAreChecked() async throws {
        let failure = try await failure { try await followChanging { $0.allHTTPHeaderFields = ["X-A": "1\r\nX-B: 2"] } }
        #expect(failure.cause == .invalidRequest)
    }

    @Test func hookThatChangesTheOriginDropsCredentials() async throws {
        let headers = ["Authorization": "t", "Cookie": "c", "X-Request-ID": "1"]
        let exchanges = try await followChanging(headers: headers) { request in
            #expect(request.value(forHTTPHeaderField: "Authorization") == "t")
            request.url = URL(string: "https://b.example/")
        }
        #expect(exchanges[1].request.url?.host == "b.example")
        #expect(exchanges[1].request.ownFields == ["X-Request-ID": "1"])
    }

    @Test(arguments: ["/there", "https://b.example/"])
    func credentialsOfTheHookAreSent(_ location: String) async throws {
        let exchanges = try await followChanging(to: location, headers: ["Authorization": "t", "Cookie": "c"]) {
            $0.url = URL(string: "https://b.example/")
            $0.setValue("for-b", forHTTPHeaderField: "Authorization")
        }
        #expect(exchanges[1].request.ownFields == ["Authorization": "for-b"])
    }

    @Test func bodyIsSentIfTheHookRestoresTheMethod() async throws {
        let exchanges = try await followChanging(method: .post, body: HTTPBody("data")) { request in
            #expect(request.httpMethod == "GET")
            request.httpMethod = "POST"
        }
        #expect(exchanges[1].request.httpMethod == "POST" && exchanges[1].body == Data("data".utf8))
    }

    @Test func bodyOfTheHookIsSentAndDroppedIfItChangesTheMethod() async throws {
        let other = Data("other".utf8)
        let exchanges = try await followChanging(307, method: .post, body: oneShot("data")) { $0.httpBody = other }
        #expect(exchanges[1].body == other && exchanges[1].request.httpBody == nil)
        let without = try await followChanging(307, method: .post, body: HTTPBody("data")) { $0.httpMethod = "GET" }
        #expect(without[1].body == nil)
    }
}

@Suite struct RedirectHistoryTests {
    private static func chain(_ last: Result<TransportResponse, any Error>) -> StubTransport {
        StubTransport(
            .success(answer(302, "body", headers: ["Location": "/b?token=S3CR3T", "Set-Cookie": "sid=S3CR3T"])),
            .success(answer(308, headers: ["Location": "https://b.example/c"])), last)
    }

    @Test func redirectsOfAResponse() async throws {
        let client = NetworkClient(transport: Self.chain(.success(answer(200, "there"))))
        let response = try await client.response(for: request("https://a.example/a"))
        let hops = response.redirects
        try #require(hops.map(\.status) == [302, 308])
        #expect(response.status == 200)
        #expect(hops.map(\.url?.absoluteString) == ["https://a.example/a", "https://a.example/b?token=S3CR3T"])
        #expect(hops[0].headers["Location"] == "/b?token=S3CR3T" && hops[0].headers["Set-Cookie"] == "sid=S3CR3T")
        #expect(hops == response.retryTrace.hops && response.retryTrace.redirects == 2)
        #expect(textsShowing("S3CR3T", of: hops) == [] && textsShowing("S3CR3T", of: response.retryTrace) == [])
        #expect(textsShowing("302", of: response.retryTrace) != [])
        let direct = NetworkClient(transport: StubTransport(.success(answer(200))))
        #expect(try await direct.response(for: request()).redirects.isEmpty)
    }

    @Test func redirectsOfAFailure() async throws {
        for last: Result<TransportResponse, any Error> in [.failure(lostConnection), .success(answer(404))] {
            let client = NetworkClient(transport: Self.chain(last))
            let failure = try await failure { try await client.data(for: request("https://a.example/a")) }
            #expect(failure.redirects.map(\.status) == [302, 308])
        }
    }
}
