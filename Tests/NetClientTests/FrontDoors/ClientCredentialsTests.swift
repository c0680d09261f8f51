@Suite struct ClientCredentialsTests {
    private struct Key: AuthenticationProvider {
        var value = "client"
        var partition: String? { "owner of \(value)" }

        func authenticate(_ request: inout URLRequest) async throws {
            request.setValue(value, forHTTPHeaderField: "X-API-Key")
        }
        func reauthenticate() async throws {}
    }

    private let transport = people()
    private let client: NetworkClient
    private let other: URL

    init() throws {
        client = NetworkClient(environment: try lab(), transport: transport, authenticationProvider: Key())
        other = try url("https://b.example/x")
    }

    private func sent(
        by client: NetworkClient? = nil, _ request: Request<Person>
    ) async throws -> (key: String?, partition: String?) {
        try await (client ?? self.client).send(request)
        let exchange = try #require(transport.exchanges.last)
        return (exchange.request.value(forHTTPHeaderField: "X-API-Key"), exchange.context.identity?.name)
    }

    @Test func providerOfTheClientIsUsedForItsOrigin() async throws {
        let own = try await sent(Request(path: "/x"))
        #expect(own.key == "client" && own.partition == "owner of client")
        #expect(try await sent(Request(absoluteURL: url("https://a.example/elsewhere"))).key == "client")
        let foreign = try await sent(Request(absoluteURL: other))
        #expect(foreign.key == nil && foreign.partition == nil)
        let raw: Person = try await client.execute(URLRequest(url: other))
        #expect(raw == leia && transport.sent("X-API-Key").last == .some(nil))
        let withoutEnvironment = NetworkClient(transport: transport, authenticationProvider: Key())
        #expect(try await sent(by: withoutEnvironment, Request(absoluteURL: other)).key == "client")
    }

    @Test func providerOfTheRequestWinsOverTheClients() async throws {
        let own = try await sent(Request(path: "/x", authenticationProvider: Key(value: "mine")))
        #expect(own.key == "mine" && own.partition == "owner of mine")
        let none = try await sent(Request(path: "/x", authenticationProvider: .none))
        #expect(none.key == nil && none.partition == nil)
        let abroad = Request<Person>(absoluteURL: other).authenticated(by: Key(value: "mine"))
        #expect(try await sent(abroad).key == "mine")
        try await client.builder(for: GetPerson(id: "1")).authenticated(by: Key(value: "his")).partition("him").send()
        #expect(transport.exchanges.last?.context.identity?.name == "him" && transport.sent("X-API-Key").last == "his")
    }

    @Test func authInterceptorIsUsedForTheClientsOrigin() async throws {
        let auth = AuthInterceptor(headerName: "X-API-Key", tokenPrefix: nil, tokenProvider: { "token" })
        let client = NetworkClient(environment: try lab(), interceptors: [auth], transport: transport)
        #expect(try await sent(by: client, Request(path: "/x")).key == "token")
        #expect(try await sent(by: client, Request(absoluteURL: other)).key == nil)
        #expect(try await sent(by: client, Request(path: "/x", authenticationProvider: .none)).key == nil)
    }
}
