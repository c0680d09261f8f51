@Suite(.timeLimit(.minutes(5))) struct ClientCookieTests {
    private let server: MockServer

    init() throws {
        server = try MockServer { request in
            let response = MockResponse.text(request.headers["Cookie"] ?? "none")
            switch request.path {
            case "/set": return response.addingHeader("Set-Cookie", "a=1; Path=/; Max-Age=600")
            case "/refuse": return MockResponse.status(401).addingHeader("Set-Cookie", "b=2; Path=/")
            case "/away": return MockResponse.redirect(to: "/").addingHeader("Set-Cookie", "c=3; Path=/")
            default: return response
            }
        }
    }

    private func body(_ client: NetworkClient, _ path: String, cookie: String? = nil) async throws -> String {
        var request = URLRequest(url: server.url(path))
        if let cookie { request.setValue(cookie, forHTTPHeaderField: "Cookie") }
        return String(decoding: try await client.response(for: request).body.data ?? Data(), as: UTF8.self)
    }

    private func client(_ storage: TransportConfiguration.CookieStorage) -> NetworkClient {
        var configuration = NetworkClient.Configuration()
        configuration.transportConfiguration.cookies = storage
        return NetworkClient(configuration: configuration)
    }

    /// Rule 18.
    @Test func cookieFieldOfTheCallerReplacesTheStoresCookies() async throws {
        let client = client(.memory)
        #expect(try await body(client, "/set", cookie: "own=x") == "own=x")
        #expect(try await body(client, "/") == "a=1")
        #expect(try await body(client, "/", cookie: "own=y") == "own=y" && client.cookies?.cookies.map(\.name) == ["a"])
    }

    @Test func hostFieldOfTheCallerDoesNotSelectCookies() async throws {
        let client = client(.memory)
        client.cookies?.set(Cookie(name: "victim", value: "1", domain: "victim.example"))
        var request = URLRequest(url: server.url("/set"))
        request.setValue("victim.example", forHTTPHeaderField: "Host")
        #expect(try await client.response(for: request).body.data == Data("none".utf8))
        let host = try #require(server.url("/").host)
        #expect(client.cookies?.cookies.first { $0.name == "a" }?.domain == host)
        #expect(server.requests.last?.headers["Host"] == "victim.example")
    }

    /// Rule 18.
    @Test func cookiesOf401AndRedirectsAreStored() async throws {
        let client = client(.memory)
        _ = try await body(client, "/refuse")
        #expect(try await body(client, "/") == "b=2")
        #expect(try await body(client, "/away") == "b=2; c=3")
    }

    @Test func noCookiesWithoutHTTPShouldHandleCookies() async throws {
        let client = client(.memory)
        var request = URLRequest(url: server.url("/set"))
        request.httpShouldHandleCookies = false
        _ = try await client.response(for: request)
        #expect(try await body(client, "/") == "none")
        #expect(try await body(self.client(.off), "/set") == "none" && self.client(.off).cookies == nil)
    }

    @Test func derivedClientsAndClientsOfOneTransportShareTheStore() async throws {
        let (transport, client) = (PlatformTransport(), client(.memory))
        let derived = [
            client.with { $0.timeoutInterval = 5 }, client.with { $0.transportConfiguration.timeouts.connect = 5 },
        ]
        let ofTransport = (0..<2).map { _ in NetworkClient(transport: transport) }
        for clients in [[client] + derived, ofTransport] {
            _ = try await body(clients[0], "/set")
            for other in clients[1...] { #expect(try await body(other, "/") == "a=1") }
        }
        #expect(try await body(self.client(.memory), "/") == "none")
    }

    @Test func persistentCookiesAreStoredInAFile() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("cookies")
        let first = client(.file(file))
        _ = try await body(first, "/set")
        first.cookies?.save()
        #expect(try await body(client(.file(file)), "/") == "a=1")
    }
}
