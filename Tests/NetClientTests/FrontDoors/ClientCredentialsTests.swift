import NetClient
import NetTesting
import TestLab
import Testing

/// Which credentials go with which call of a client that has some.
@Suite struct ClientCredentialsTests {
    private struct Key: AuthenticationProvider {
        var value = "client"
        var partition: String? { "owner of \(value)" }

        func authenticate(_ request: inout URLRequest) async throws {
            request.setValue(value, forHTTPHeaderField: "X-API-Key")
        }
        func reauthenticate() async throws {}
    }

    private func sent(by client: NetworkClient, _ transport: StubTransport, _ request: Request<Person>) async throws
        -> (key: String?, partition: String?)
    {
        try await client.send(request)
        let exchange = try #require(transport.exchanges.last)
        return (exchange.request.value(forHTTPHeaderField: "X-API-Key"), exchange.context.identity?.name)
    }

    @Test func clientsProviderIsForItsOrigin() async throws {
        let transport = people()
        let client = NetworkClient(environment: try lab(), transport: transport, authenticationProvider: Key())
        let own = try await sent(by: client, transport, Request(path: "/x"))
        #expect(own.key == "client" && own.partition == "owner of client")
        let inside = try #require(URL(string: "https://a.example/elsewhere"))
        #expect(try await sent(by: client, transport, Request(absoluteURL: inside)).key == "client")
        let outside = try #require(URL(string: "https://b.example/x"))
        let foreign = try await sent(by: client, transport, Request(absoluteURL: outside))
        #expect(foreign.key == nil && foreign.partition == nil)
        let raw: Person = try await client.execute(URLRequest(url: outside))
        #expect(raw == leia)
        #expect(transport.exchanges.last?.request.value(forHTTPHeaderField: "X-API-Key") == nil)
    }

    @Test func withoutAnEnvironmentEveryOriginIsItsOwn() async throws {
        let transport = people()
        let client = NetworkClient(transport: transport, authenticationProvider: Key())
        let url = try #require(URL(string: "https://b.example/x"))
        #expect(try await sent(by: client, transport, Request(absoluteURL: url)).key == "client")
    }

    @Test func aRequestsOwnProviderWins() async throws {
        let transport = people()
        let client = NetworkClient(environment: try lab(), transport: transport, authenticationProvider: Key())
        let own = try await sent(by: client, transport, Request(path: "/x", authenticationProvider: Key(value: "mine")))
        #expect(own.key == "mine" && own.partition == "owner of mine")
        let none = try await sent(by: client, transport, Request(path: "/x", authenticationProvider: .none))
        #expect(none.key == nil && none.partition == nil)
        let url = try #require(URL(string: "https://b.example/x"))
        let abroad = Request<Person>(absoluteURL: url).authenticated(by: Key(value: "mine"))
        #expect(try await sent(by: client, transport, abroad).key == "mine")
        try await client.builder(for: GetPerson(id: "1")).authenticated(by: Key(value: "his")).partition("him").send()
        #expect(transport.exchanges.last?.context.identity?.name == "him")
        #expect(transport.exchanges.last?.request.value(forHTTPHeaderField: "X-API-Key") == "his")
    }

    @Test func interceptorsCredentialsAreTheClientsToo() async throws {
        let transport = people()
        let auth = AuthInterceptor(headerName: "X-API-Key", tokenPrefix: nil, tokenProvider: { "token" })
        let client = NetworkClient(environment: try lab(), interceptors: [auth], transport: transport)
        #expect(try await sent(by: client, transport, Request(path: "/x")).key == "token")
        let url = try #require(URL(string: "https://b.example/x"))
        #expect(try await sent(by: client, transport, Request(absoluteURL: url)).key == nil)
        #expect(try await sent(by: client, transport, Request(path: "/x", authenticationProvider: .none)).key == nil)
    }

    @Test func policyOfACallReachesTheRetryEngine() async throws {
        let clock = TestClock(autoAdvance: true)
        let transport = StubTransport { _, _, context in
            context.attempt == 0 ? answer(503) : answer(200, #"{"id":"1","name":"Leia"}"#)
        }
        let client = NetworkClient(
            environment: try lab(), retryPolicy: .default, transport: transport, clock: clock, random: { 0.5 })
        #expect(try await client.send(Request<Person>(path: "/x")) == leia)
        #expect(clock.sleeps == [0.3])
        let failure = try await failure { try await client.send(Request<Person>(path: "/x"), retryPolicy: .none) }
        #expect(failure.statusCode == 503)
        #expect(try await client.send(Request<Person>(path: "/x"), retryPolicy: DefaultRetryPolicy()) == leia)
        #expect(
            try await client.builder(for: GetPerson(id: "1")).retryPolicy(RetryPolicy(maxRetries: 1)).send() == leia)
    }
}
