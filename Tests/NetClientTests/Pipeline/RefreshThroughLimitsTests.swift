import NetClient
import NetTesting
import TestLab
import Testing

@Suite struct RefreshThroughLimitsTests {
    /// The requests that wait for the refresh hold all places.
    @Test func refreshRequestPassesTheConcurrencyLimit() async throws {
        let clock = TestClock()
        let transport = StubTransport { request, _, _ in
            if request.value(forHTTPHeaderField: "Authorization") == "Bearer new" { return answer(200, "secret") }
            return request.url?.path == "/token" ? answer(200, "new") : answer(401)
        }
        let token = Locked("old")
        let client = Locked<NetworkClient?>(nil)
        defer { client.withLock { $0 = nil } }
        let interceptor = AuthInterceptor(
            tokenProvider: { token.withLock { $0 } },
            onUnauthorized: {
                guard let client = client.withLock({ $0 }) else { return }
                let data = try await client.data(for: request("https://a.example/token")).data
                token.withLock { $0 = String(decoding: data, as: UTF8.self) }
            })
        let limiter = ConcurrencyLimiter(maxConcurrentPerHost: 2)
        let made = NetworkClient(
            interceptors: [limiter, interceptor], transport: transport, callInterceptors: [RequestCoalescer()],
            clock: clock)
        client.withLock { $0 = made }
        let calls = try (0..<6).map { number in
            let request = try request("https://a.example/\(number)")
            return Task { try await made.data(for: request).data }
        }
        for call in calls { #expect(try await call.value == Data("secret".utf8)) }
        #expect(transport.exchanges.filter { $0.request.url?.path == "/token" }.count == 1)
        #expect(try limiter.activeCount(for: url()) == 0)
    }
}
