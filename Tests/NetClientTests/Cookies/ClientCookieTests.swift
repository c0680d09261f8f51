import NetClient
import NetTesting
import TestLab
import Testing

/// Cookies on their way through a client, over a real socket.
@Suite(.timeLimit(.minutes(5)))
struct ClientCookieTests {
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
    @Test func aCallersFieldStandsAloneAndTheStoreKeepsWhatComesBack() async throws {
        let client = client(.memory)
        #expect(try await body(client, "/set", cookie: "own=x") == "own=x")
        #expect(try await body(client, "/") == "a=1")
        #expect(try await body(client, "/", cookie: "own=y") == "own=y")
        #expect(client.cookies?.cookies.map(\.name) == ["a"])
    }

    /// The URL alone decides, for what is sent and for what is kept.
    @Test func aCallersHostChoosesNoCookies() async throws {
        let client = client(.memory)
        client.cookies?.set(Cookie(name: "victim", value: "1", domain: "victim.example"))
        var request = URLRequest(url: server.url("/set"))
        request.setValue("victim.example", forHTTPHeaderField: "Host")
        let answer = try await client.response(for: request).body.data ?? Data()
        #expect(String(decoding: answer, as: UTF8.self) == "none")
        let host = try #require(server.url("/").host)
        #expect(client.cookies?.cookies.first { $0.name == "a" }?.domain == host)
        #expect(server.requests.last?.headers["Host"] == "victim.example")
    }

    /// Rule 18: once for each exchange, whatever its status.
    @Test func cookiesOfRefusalsAndRedirectsAreKept() async throws {
        let client = client(.memory)
        _ = try await body(client, "/refuse")
        #expect(try await body(client, "/") == "b=2")
        #expect(try await body(client, "/away") == "b=2; c=3")
    }

    @Test func noneForARequestThatWantsNone() async throws {
        let client = client(.memory)
        var request = URLRequest(url: server.url("/set"))
        request.httpShouldHandleCookies = false
        _ = try await client.response(for: request)
        #expect(try await body(client, "/") == "none")
        #expect(try await body(self.client(.off), "/set") == "none")
        #expect(self.client(.off).cookies == nil)
    }

    @Test func derivedClientsShareTheStore() async throws {
        let client = client(.memory)
        let derived = client.with { $0.timeoutInterval = 5 }
        let other = client.with { $0.transportConfiguration.timeouts.connect = 5 }
        _ = try await body(client, "/set")
        #expect(try await body(derived, "/") == "a=1")
        #expect(try await body(other, "/") == "a=1")
        #expect(try await body(self.client(.memory), "/") == "none")
    }

    @Test func clientsOfOneTransportShareTheStore() async throws {
        let transport = PlatformTransport()
        _ = try await body(NetworkClient(transport: transport), "/set")
        #expect(try await body(NetworkClient(transport: transport), "/") == "a=1")
    }

    @Test func keepsPersistentOnesInAFileOfTheOwnersOnly() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("cookies")
        let first = client(.file(file))
        _ = try await body(first, "/set")
        first.cookies?.save()
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try await body(client(.file(file)), "/") == "a=1")
    }
}
