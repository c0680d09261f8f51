import NetClient
import NetTesting
import TestLab
import Testing

@Suite(.timeLimit(.minutes(1))) struct ShutdownTests {
    /// Holds each request until it is answered, or the transport shut down.
    private final class Gate: HTTPTransport {
        private typealias Waiter = CheckedContinuation<TransportResponse, any Error>

        private let state = Locked((waiting: [Waiter](), isShutDown: false))

        var waitingCount: Int { state.withLock(\.waiting.count) }
        var isShutDown: Bool { state.withLock(\.isShutDown) }

        func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.waiting.append(continuation) }
                if isShutDown { end(.failure(TransportError(.shutDown, phase: .preparing, message: ""))) }
            }
        }

        func answerAll(_ response: TransportResponse = answer()) { end(.success(response)) }

        func shutdown() async {
            state.withLock { $0.isShutDown = true }
            end(.failure(TransportError(.shutDown, phase: .waiting, message: "")))
        }

        private func end(_ result: Result<TransportResponse, any Error>) {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume(with: result) }
        }
    }

    private let gate = Gate()

    private func waitForRequests(_ count: Int) async throws {
        try await waitUntil("\(count) requests are in flight") { gate.waitingCount == count ? () : nil }
    }

    /// Waits until new calls are refused, which is the beginning of the shutdown.
    private func waitUntilClosed(_ client: NetworkClient) async throws {
        while try await failure(of: { try await client.send(request("ftp://a.example/")) }).code != "unsupported" {
            await Task.yield()
        }
    }

    private func expectCancelled<Value>(_ call: Task<Value, any Error>) async throws {
        #expect(try await failure { try await call.value }.cause == .cancelled)
    }

    @Test func drainWaitsForCallsInFlight() async throws {
        let client = NetworkClient(transport: gate)
        let calls = (0..<3).map { _ in Task { try await client.data(for: request()).response.status } }
        try await waitForRequests(3)
        let isDown = Locked(false)
        let shutdown = Task {
            await client.shutdown()
            isDown.withLock { $0 = true }
        }
        try await waitUntilClosed(client)
        #expect(!isDown.withLock { $0 } && !gate.isShutDown)
        gate.answerAll()
        for call in calls { #expect(try await call.value == 200) }
        await shutdown.value
        #expect(gate.isShutDown)
    }

    /// A buffered call lasts until its body is complete.
    @Test func drainWaitsForBodies() async throws {
        let client = NetworkClient(transport: gate)
        let call = Task { try await client.data(for: request()).data }
        try await waitForRequests(1)
        let chunk = Locked<CheckedContinuation<Data?, Never>?>(nil)
        let count = Locked<UInt64>(0)
        let body = HTTPBody(pulling: {
            guard count.next() == 1 else { return nil }
            return await withCheckedContinuation { continuation in chunk.withLock { $0 = continuation } }
        })
        gate.answerAll(TransportResponse(status: 200, url: nil, body: body))
        let reader = try await waitUntil("the body is being read") { chunk.withLock { $0 } }
        let shutdown = Task { await client.shutdown() }
        try await waitUntilClosed(client)
        #expect(!gate.isShutDown)
        reader.resume(returning: Data("body".utf8))
        #expect(try await call.value == Data("body".utf8))
        await shutdown.value
        #expect(gate.isShutDown)
    }

    @Test func cancelEndsCallsInFlight() async throws {
        let client = NetworkClient(
            interceptors: [Hook(retrying: { _, _, _ in .retry })], retryPolicy: .default, transport: gate)
        let calls = (0..<3).map { _ in Task { try await client.data(for: request()) } }
        try await waitForRequests(3)
        await client.shutdown(.cancel)
        for call in calls { try await expectCancelled(call) }
    }

    @Test func cancelEndsWaitsForARetry() async throws {
        let clock = TestClock()
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 9, delay: .fixed(120)), transport: transport, clock: clock)
        let calls = (0..<3).map { _ in Task { try await client.data(for: request()) } }
        try await clock.waitForSleepers(count: 3)
        await client.shutdown(.cancel)
        for call in calls { try await expectCancelled(call) }
        #expect(transport.exchanges.count == 3 && clock.sleeperCount == 0)
    }

    @Test func drainWaitsForRetries() async throws {
        let clock = TestClock()
        let transport = StubTransport(.failure(lostConnection), .success(answer()))
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 9, delay: .fixed(120)), transport: transport, clock: clock)
        let call = Task { try await client.data(for: request()).response.status }
        try await clock.waitForSleepers()
        let shutdown = Task { await client.shutdown() }
        await clock.advance(by: 120)
        #expect(try await call.value == 200)
        await shutdown.value
    }

    @Test func cancelAfterDrain() async throws {
        let client = NetworkClient(transport: gate)
        let call = Task { try await client.data(for: request()) }
        try await waitForRequests(1)
        let drain = Task { await client.shutdown(.drain) }
        await client.shutdown(.cancel)
        await drain.value
        try await expectCancelled(call)
    }

    /// Another client shares the transport after the call began, and continues to use it.
    @Test func cancelEndsACallThatBeganBeforeTheTransportWasShared() async throws {
        let server = try MockServer()
        server.on("/slow", MockResponse.ok.fault(.stall(.beforeResponse)))
        let client = NetworkClient()
        let call = Task { try await client.data(for: URLRequest(url: server.url("/slow"))) }
        _ = try await server.takeRequest()
        let other = client.with { $0.timeoutInterval = 30 }
        await client.shutdown(.cancel)
        try await expectCancelled(call)
        await other.shutdown()
        await server.stop()
    }

    @Test(arguments: [NetworkClient.ShutdownMode.drain, .cancel])
    func shutdownEndsAStreamOfASharedTransport(_ mode: NetworkClient.ShutdownMode) async throws {
        let server = try MockServer { _ in
            MockResponse.text(String(repeating: "x", count: 4 << 20)).throttled(bytesPerSecond: 1000)
        }
        let parent = NetworkClient()
        let child = parent.with { $0.timeoutInterval = 30 }
        let response = try await child.send(URLRequest(url: server.url("/")))
        await child.shutdown(mode)
        await #expect(throws: CancellationError.self) { try await response.body.collect(upTo: 8 << 20) }
        await parent.shutdown()
        await server.stop()
    }

    @Test func callsAfterShutdownAreRefused() async throws {
        let transport = StubTransport()
        let client = NetworkClient(transport: transport)
        for mode in [NetworkClient.ShutdownMode.drain, .drain, .cancel] { await client.shutdown(mode) }
        #expect(try await failure { try await client.data(for: request()) }.code == "unsupported")
        #expect(transport.exchanges.isEmpty)
    }

    @Test func callInFlightKeepsTheClientAlive() async throws {
        var client: NetworkClient? = NetworkClient(transport: gate)
        let call = Task { [client] in try await #require(client).data(for: request()).response.status }
        try await waitForRequests(1)
        weak let weakClient = client
        client = nil
        #expect(weakClient != nil)
        gate.answerAll()
        #expect(try await call.value == 200)
    }

    @Test func transportIsReleasedWithTheClient() async throws {
        weak var released: Gate?
        do {
            let gate = Gate()
            released = gate
            let client = NetworkClient(transport: gate)
            await #expect(throws: NetworkFailure.self) { try await client.data(for: request("ftp://a.example/")) }
        }
        #expect(released == nil)
    }
}
