import NetTesting
import Networking
import Testing

/// The client that the README shows.
@Suite struct ReadmeClientTests {
    @Test(arguments: [false, true]) func freshResponseIsSentOnce(setsCookie: Bool) async throws {
        let server = try MockServer()
        var response = MockResponse.text("fresh").header("Cache-Control", "max-age=600")
        if setsCookie { response = response.settingCookie("visitor", "1", "Path=/") }
        server.on(.get, "/user", response)
        let auth = AuthInterceptor(tokenProvider: { "secret-1" })
        let client = NetworkClient(interceptors: [auth], cache: ResponseCache(maxEntries: 100))
        for _ in 0..<3 {
            let (data, response) = try await client.data(for: URLRequest(url: server.url("/user")))
            #expect(String(decoding: data, as: UTF8.self) == "fresh" && response.status == 200)
        }
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer secret-1"])
    }
}
