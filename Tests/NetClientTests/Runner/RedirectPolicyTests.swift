import NetClient
import NetTesting
import TestLab
import Testing

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
        #expect(failure.request?.url?.path == "/20" && transport.exchanges.count == 21)
    }

    @Test(arguments: [0, -1, .min]) func limitOfZeroRefusesRedirects(_ limit: Int) async throws {
        let policy = RedirectPolicy(limit: limit)
        #expect(try await run(last: 0, policy: policy) == (200, 1))
        let failure = try await failure { try await run(last: 1, policy: policy) }
        #expect(failure.cause == .tooManyRedirects && failure.request?.url?.path == "/0")
    }

    @Test func redirectLoopEnds() async throws {
        let transport = StubTransport { _, _, _ in answer(307, headers: ["Location": "#again"]) }
        let failure = try await failure { try await NetworkClient(transport: transport).response(for: request()) }
        #expect(failure.cause == .tooManyRedirects && transport.exchanges.count == 21)
    }

    @Test func doNotFollow() async throws { #expect(try await run(last: 1, policy: .doNotFollow) == (302, 1)) }

    // MARK: The hook

    private func follow(
        _ status: Int = 302, to location: String = "/there", method: HTTPMethod = .get, headers: [String: String] = [:],
        body: HTTPBody? = nil,
        decide: @escaping @Sendable (RedirectPolicy.Proposal) async throws -> RedirectPolicy.Decision
    ) async throws -> [StubTransport.Exchange] {
        let transport = StubTransport(
            .success(answer(status, headers: ["Location": location])), .success(answer(200, "there")))
        let client = NetworkClient(transport: transport, redirectPolicy: RedirectPolicy(decide: decide))
        _ = try await client.response(for: request("https://a.example/start", method, headers: headers), body: body)
        return transport.exchanges
    }

    /// Follows the proposed request after a change.
    private func follow(
        _ status: Int = 302, to location: String = "/there", method: HTTPMethod = .get, headers: [String: String] = [:],
        body: HTTPBody? = nil, changing change: @escaping @Sendable (inout URLRequest) -> Void
    ) async throws -> [StubTransport.Exchange] {
        try await follow(status, to: location, method: method, headers: headers, body: body) { proposal in
            var request = proposal.request
            change(&request)
            return .followWith(request)
        }
    }

    private func refusal(_ follow: () async throws -> [StubTransport.Exchange]) async throws -> NetworkFailure {
        try await failure { try await follow() }
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

    @Test func hookThatThrowsEndsTheCall() async throws {
        #expect(try await failure { try await follow { _ in throw PluginError() } }.underlyingError is PluginError)
        let own = await #expect(throws: NetworkFailure.self) { try await follow { _ in throw NetworkError.noData } }
        #expect(own?.cause == .noData)
    }

    @Test func hooksRequestIsSent() async throws {
        let exchanges = try await follow { proposal in
            var request = proposal.request
            request.url = URL(string: "https://a.example/elsewhere")
            request.setValue("1", forHTTPHeaderField: "X-A")
            return .followWith(request)
        }
        #expect(exchanges[1].request.url?.path == "/elsewhere")
        #expect(exchanges[1].request.value(forHTTPHeaderField: "X-A") == "1")
    }

    @Test(arguments: ["ftp://a.example/", "file:///x", "/p"]) func hooksSchemeIsHeldToTheRules(_ url: String)
        async throws
    {
        let failure = await #expect(throws: NetworkFailure.self) {
            try await follow { proposal in
                var request = proposal.request
                request.url = URL(string: url)
                return .followWith(request)
            }
        }
        #expect((failure?.underlyingError as? RedirectPolicy.Refusal)?.reason == .scheme)
    }

    @Test func hookMayNotGoFromSecureToPlain() async throws {
        let failure = try await failure { try await follow { _ in .followWith(try request("http://a.example/")) } }
        #expect((failure.underlyingError as? RedirectPolicy.Refusal)?.reason == .insecure)
    }

    @Test func hooksHeadersAreChecked() async throws {
        let failure = await #expect(throws: NetworkFailure.self) {
            try await follow { proposal in
                var request = proposal.request
                request.allHTTPHeaderFields = ["X-A": "1\r\nX-B: 2"]
                return .followWith(request)
            }
        }
        #expect(failure?.cause == .invalidRequest)
    }

    @Test func carriedOverCredentialsDoNotLeak() async throws {
        let exchanges = try await follow(headers: ["Authorization": "t", "Cookie": "c", "X-Request-ID": "1"]) {
            proposal in
            #expect(proposal.request.value(forHTTPHeaderField: "Authorization") == "t")
            var request = proposal.request
            request.url = URL(string: "https://b.example/")
            return .followWith(request)
        }
        #expect(exchanges[1].request.url?.host == "b.example")
        #expect(exchanges[1].request.ownFields == ["X-Request-ID": "1"])
    }

    @Test func credentialsThatTheHookPutInAreSent() async throws {
        for location in ["/there", "https://b.example/"] {
            let exchanges = try await follow(to: location, headers: ["Authorization": "t", "Cookie": "c"]) { proposal in
                var request = proposal.request
                request.url = URL(string: "https://b.example/")
                request.setValue("for-b", forHTTPHeaderField: "Authorization")
                return .followWith(request)
            }
            #expect(exchanges[1].request.ownFields == ["Authorization": "for-b"])
        }
    }

    @Test func bodyGoesWithTheMethodThatTheHookRestored() async throws {
        let exchanges = try await follow(method: .post, body: HTTPBody("data")) { proposal in
            #expect(proposal.request.httpMethod == "GET")
            var request = proposal.request
            request.httpMethod = "POST"
            return .followWith(request)
        }
        #expect(exchanges[1].request.httpMethod == "POST" && exchanges[1].body == Data("data".utf8))
    }

    @Test func bodyStaysBehindIfTheHookChangedTheMethod() async throws {
        let exchanges = try await follow(307, method: .post, body: HTTPBody("data")) { proposal in
            var request = proposal.request
            request.httpMethod = "GET"
            return .followWith(request)
        }
        #expect(exchanges[1].body == nil)
    }

    @Test func hooksOwnBodyIsSent() async throws {
        let exchanges = try await follow(307, method: .post, body: oneShot("data")) { proposal in
            var request = proposal.request
            request.httpBody = Data("other".utf8)
            return .followWith(request)
        }
        #expect(exchanges[1].body == Data("other".utf8) && exchanges[1].request.httpBody == nil)
    }
}
