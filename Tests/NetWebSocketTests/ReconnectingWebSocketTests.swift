import NetTesting
import NetWebSocket
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5)), .requires(.pythonPackages)) struct ReconnectingWebSocketTests {
    private let server: PythonWebSocketServer
    private let clock = TestClock(autoAdvance: true)
    private let client: NetworkClient
    private static let reconnection = ReconnectingWebSocket.Policy(
        delay: .exponential(base: 1, multiplier: 2, jitter: 0, maximum: 60))

    init() async throws {
        server = try await PythonWebSocketServer()
        client = NetworkClient(clock: clock)
    }

    private func feed(
        _ query: String, _ reconnection: ReconnectingWebSocket.Policy = Self.reconnection
    ) throws -> ReconnectingWebSocket {
        // Only the first close is waited for by this clock, which would make it fail: with a real one.
        client.reconnectingWebSocket(to: try server.url("feed?\(query)"), reconnection: reconnection) { socket in
            try await socket.send(.text("prices"))
        }
    }

    private var subscriptions: Int { server.log.filter { $0 == "topic prices" }.count }

    /// The number of messages until the end.
    private func count(_ feed: ReconnectingWebSocket) async throws -> Int {
        try await feed.messages.reduce(0) { count, _ in count + 1 }
    }

    @Test func reconnectsAndResubscribes() async throws {
        let feed = try feed("stays=4")
        #expect(try await feed.texts(8) == (1...4).flatMap { ["prices \($0).0", "prices \($0).1"] })
        // Each connection succeeded, so the pauses start again.
        #expect((clock.sleeps.filter { $0 == 1 }.count, subscriptions) == (3, 4))
        // The connection of now can be written to as well.
        try await feed.send(.text("hello"))
        var messages = feed.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("hello"))
        await feed.close()
        #expect(try await messages.next() == nil)
        await #expect(throws: NetworkFailure.self) { try await feed.send(.text("late")) }
    }

    @Test(arguments: [1001, 1011, 1012, 1013]) func transientCloseCodeReconnects(_ code: Int) async throws {
        let feed = try feed("stays=2&code=\(code)")
        #expect(try await (feed.texts(4).count, subscriptions) == (4, 2))
        await feed.close()
    }

    @Test func normalClosureDoesNotReconnect() async throws {
        #expect(try await (count(feed("code=1000")), subscriptions) == (2, 1))
    }

    @Test(arguments: [1002, 1003, 1008, 4000]) func permanentCloseCodeIsAFailure(_ code: Int) async throws {
        let feed = try feed("code=\(code)")
        var count = 0
        let failure = await webSocketFailure { for try await _ in feed.messages { count += 1 } }
        #expect((count, failure?.webSocketError?.closure?.code.rawValue, subscriptions) == (2, UInt16(code), 1))
        // Later calls fail with the same error.
        #expect(await webSocketFailure { for try await _ in feed.messages {} } == failure)
        #expect(await webSocketFailure { try await feed.send(.text("late")) } == failure)
    }

    @Test func backsOffFromAServerThatIsDown() async throws {
        let attempts = Locked(0)
        let outage = NetworkFailure(cause: .networkUnavailable)
        let policy = ReconnectingWebSocket.Policy(
            delay: .exponential(base: 1, multiplier: 2, jitter: 0, maximum: 5), maximumAttempts: 6)
        let feed = ReconnectingWebSocket(reconnection: policy, clock: clock) { () async throws(NetworkFailure) in
            attempts.withLock { $0 += 1 }
            throw outage
        }
        #expect(await webSocketFailure { try await count(feed) } == outage)
        #expect((attempts.withLock { $0 }, clock.sleeps) == (6, [1, 2, 4, 5, 5]))
    }

    @Test func forbiddenHandshakeIsNotRetried() async throws {
        let feed = client.reconnectingWebSocket(to: try server.url("status?code=403"))
        #expect(await webSocketFailure { try await count(feed) }?.statusCode == 403 && clock.sleeps.isEmpty)
    }

    @Test func errorOfResubscribeIsAFailedAttempt() async throws {
        struct Refusal: Error {}
        let policy = ReconnectingWebSocket.Policy(maximumAttempts: 3) { $0.underlyingError is Refusal }
        let url = try server.url("echo")
        let feed = client.reconnectingWebSocket(to: url, reconnection: policy) { _ in throw Refusal() }
        #expect(await webSocketFailure { try await count(feed) }?.underlyingError is Refusal)
        #expect(server.requests == ["/echo", "/echo", "/echo"])
    }

    @Test func sendWaitsForTheConnection() async throws {
        let feed = client.reconnectingWebSocket(to: try server.url("echo"))
        let sender = Task { try await feed.send(.text("early")) }
        #expect(try await feed.texts(1) == ["early"])
        try await sender.value
        await feed.close()
    }

    /// Begins to read, closes when something waits for the clock, and expects that the reader ends.
    private func closes(_ feed: ReconnectingWebSocket, whenSomethingWaitsFor clock: TestClock) async throws {
        let reader = Task { try await count(feed) }
        try await clock.waitForSleepers()
        await feed.close()
        #expect(try await reader.value == 0)
    }

    @Test func closingEndsTheDelayBeforeAnAttempt() async throws {
        let clock = TestClock()
        let feed = ReconnectingWebSocket(clock: clock) { () async throws(NetworkFailure) in
            throw NetworkFailure(cause: .networkUnavailable)
        }
        let sender = Task { try await feed.send(.text("x")) }
        try await closes(feed, whenSomethingWaitsFor: clock)
        await #expect(throws: NetworkFailure.self) { try await sender.value }
    }

    @Test func closingEndsConnecting() async throws {
        let clock = TestClock()
        let feed = ReconnectingWebSocket {
            try await clock.sleep(for: .infinity)
            throw NetworkFailure(cause: .networkUnavailable)
        }
        try await closes(feed, whenSomethingWaitsFor: clock)
    }

    @Test func closingEndsResubscribing() async throws {
        let (clock, url) = (TestClock(), try server.url("echo"))
        let feed = NetworkClient().reconnectingWebSocket(to: url, options: .longCloseTimeout) { _ in
            try await clock.sleep(for: .infinity)
        }
        try await closes(feed, whenSomethingWaitsFor: clock)
        try await server.wait(for: "end echo 1000")
    }

    @Test func cancellingAReaderKeepsTheConnection() async throws {
        let feed = try feed("stays=1")
        var messages = feed.messages.makeAsyncIterator()
        for _ in 0..<2 { _ = try await messages.next() }
        let reader = Task { try await count(feed) }
        reader.cancel()
        await #expect(throws: NetworkFailure.self) { _ = try await reader.value }
        try await feed.send(.text("here"))
        #expect(try await (messages.next(), subscriptions) == (.text("here"), 1))
        await feed.close()
    }

    /// Only the reader connects again, and here it is the one that sends.
    @Test func sendingFailsIfTheConnectionEndedWhileTheOnlyReaderHandledAMessage() async throws {
        let feed = try feed("stays=2&code=1001")
        var messages = feed.messages.makeAsyncIterator()
        var found = [try await messages.next()?.text]
        _ = try await waitUntil("the connection has ended") { feed.current?.closeCode }
        let failure = await webSocketFailure { try await feed.send(.text("ack")) }
        #expect(failure?.webSocketError?.code == .closed)
        while found.count < 4 { found.append(try await messages.next()?.text) }
        #expect(found == ["prices 1.0", "prices 1.1", "prices 2.0", "prices 2.1"])
        await feed.close()
    }
}
