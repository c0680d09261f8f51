import NetClient
import NetTesting
import TestLab
import Testing

@Suite struct CancelAllTests {
    @Test func callsInFlightAreCancelled() async throws {
        let server = try MockServer { $0.path == "/fast" ? .text("x") : MockResponse.text("x").delayed(by: 60) }
        let client = NetworkClient(baseURL: server.url)
        let other = client.with { $0.userAgent = "other" }
        let slow = URLRequest(url: server.url("/slow"))
        let calls = (0..<3).map { _ in Task { try await client.data(for: slow) } }
        let others = Task { try await other.data(for: slow) }
        try await waitUntil("four requests arrived") { server.requests.count == 4 ? () : nil }
        client.cancelAll()
        for call in calls { #expect(try await failure { try await call.value }.isCancellation && !call.isCancelled) }
        #expect(try await client.data(for: URLRequest(url: server.url("/fast"))).response.status == 200)
        other.cancelAll()
        await #expect(throws: NetworkFailure.self) { try await others.value }
        await client.shutdown()
        await other.shutdown()
        await server.stop()
    }

    @Test func streamIsCancelled() async throws {
        let server = try MockServer { _ in
            MockResponse.text(String(repeating: "x", count: 4 << 20)).throttled(bytesPerSecond: 1000)
        }
        let client = NetworkClient(baseURL: server.url)
        let response = try await client.send(request(server.url("/").absoluteString))
        let reader = Task { try await response.body.collect(upTo: 8 << 20) }
        client.cancelAll()
        await #expect(throws: (any Error).self) { try await reader.value }
        await client.shutdown()
        await server.stop()
    }

    @Test func waitBeforeARetryIsCancelled() async throws {
        let clock = TestClock()
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 3, delay: .fixed(1000)),
            transport: StubTransport { _, _, _ in answer(503) }, clock: clock)
        let call = Task { try await client.data(for: request()) }
        try await clock.waitForSleepers()
        client.cancelAll()
        #expect(try await failure { try await call.value }.isCancellation)
    }

    @Test func callThroughACustomTransportFailsAtItsNextStep() async throws {
        let gate = Gate()
        let client = NetworkClient(
            transport: StubTransport { _, _, _ in
                await gate.pass()
                return answer()
            })
        let call = Task { try await client.data(for: request()) }
        try await gate.waitForArrivals()
        client.cancelAll()
        gate.open()
        #expect(try await failure { try await call.value }.isCancellation)
    }
}
