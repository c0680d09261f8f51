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

    @Test func connectsAgainAndResubscribes() async throws {
        let feed = try feed("stays=4")
        var found: [String] = []
        for try await message in feed.messages {
            found.append(message.text ?? "")
            if found.count == 8 { break }
        }
        #expect(found == (1...4).flatMap { ["prices \($0).0", "prices \($0).1"] })
        // Each connection succeeded, so the pauses start again.
        #expect(clock.sleeps.filter { $0 == 1 }.count == 3)
        #expect(server.log.filter { $0 == "topic prices" }.count == 4)
        // The connection of now can be written to as well.
        try await feed.send(.text("hello"))
        var messages = feed.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("hello"))
        await feed.close()
        #expect(try await messages.next() == nil)
        await #expect(throws: NetworkFailure.self) { try await feed.send(.text("late")) }
    }

    @Test(arguments: [1001, 1011, 1012, 1013]) func theseCodesAreWorthAnotherAttempt(_ code: Int) async throws {
        let feed = try feed("stays=2&code=\(code)")
        var count = 0
        for try await _ in feed.messages {
            count += 1
            if count == 4 { break }
        }
        #expect(server.log.filter { $0 == "topic prices" }.count == 2)
        await feed.close()
    }

    @Test func theServersGoodbyeIsTheEnd() async throws {
        let feed = try feed("code=1000")
        var count = 0
        for try await _ in feed.messages { count += 1 }
        #expect(count == 2)
        #expect(server.log.filter { $0 == "topic prices" }.count == 1)
    }

    @Test(arguments: [1002, 1003, 1008, 4000]) func theseCodesAreFailures(_ code: Int) async throws {
        let feed = try feed("code=\(code)")
        var count = 0
        let failure = await webSocketFailure { for try await _ in feed.messages { count += 1 } }
        #expect(count == 2)
        #expect(failure?.webSocketError?.closure?.code.rawValue == UInt16(code))
        #expect(server.log.filter { $0 == "topic prices" }.count == 1)
        // So it stays.
        #expect(await webSocketFailure { for try await _ in feed.messages {} } == failure)
        #expect(await webSocketFailure { try await feed.send(.text("late")) } == failure)
    }

    @Test func backsOffFromAServerThatIsDown() async throws {
        let clock = clock
        let attempts = Locked(0)
        let outage = NetworkFailure(cause: .networkUnavailable)
        let feed = ReconnectingWebSocket(
            reconnection: ReconnectingWebSocket.Policy(
                delay: .exponential(base: 1, multiplier: 2, jitter: 0, maximum: 5), maximumAttempts: 6), clock: clock
        ) { () async throws(NetworkFailure) in
            attempts.withLock { $0 += 1 }
            throw outage
        }
        let failure = await webSocketFailure { for try await _ in feed.messages {} }
        #expect(failure == outage)
        #expect(attempts.withLock { $0 } == 6)
        #expect(clock.sleeps == [1, 2, 4, 5, 5])
    }

    @Test func whatWillNotChangeIsNotTriedAgain() async throws {
        let url = try server.url("status?code=403")
        let feed = client.reconnectingWebSocket(to: url)
        let failure = await webSocketFailure { for try await _ in feed.messages {} }
        #expect(failure?.statusCode == 403)
        #expect(clock.sleeps.isEmpty)
    }

    @Test func whatResubscribeThrowsIsAFailedAttempt() async throws {
        struct Refusal: Error {}
        let feed = client.reconnectingWebSocket(
            to: try server.url("echo"),
            reconnection: ReconnectingWebSocket.Policy(
                maximumAttempts: 3, shouldReconnect: { $0.underlyingError is Refusal })
        ) { _ in throw Refusal() }
        let failure = await webSocketFailure { for try await _ in feed.messages {} }
        #expect(failure?.underlyingError is Refusal)
        #expect(server.log.filter { $0 == "request /echo" }.count == 3)
    }

    @Test func aSenderWaitsForTheConnection() async throws {
        let feed = client.reconnectingWebSocket(to: try server.url("echo"))
        let sender = Task { try await feed.send(.text("early")) }
        var messages = feed.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("early"))
        try await sender.value
        await feed.close()
    }

    @Test func closingEndsTheWait() async throws {
        let clock = TestClock()
        let feed = ReconnectingWebSocket(clock: clock) { () async throws(NetworkFailure) in
            throw NetworkFailure(cause: .networkUnavailable)
        }
        let reader = Task {
            var count = 0
            for try await _ in feed.messages { count += 1 }
            return count
        }
        let sender = Task { try await feed.send(.text("x")) }
        try await clock.waitForSleepers()
        await feed.close()
        #expect(try await reader.value == 0)
        await #expect(throws: NetworkFailure.self) { try await sender.value }
    }

    /// Begins to read, closes when an attempt is at a point, and expects that the reader ends.
    private func closes(_ feed: ReconnectingWebSocket, _ hasBegun: Locked<Bool>) async throws {
        let result = Locked<Result<Int, any Error>?>(nil)
        let reader = Task {
            do {
                var count = 0
                for try await _ in feed.messages { count += 1 }
                result.withLock { $0 = .success(count) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        defer { reader.cancel() }
        try await waitUntil("the attempt has begun") { hasBegun.withLock { $0 } ? () : nil }
        await feed.close()
        let end = try await waitUntil("the reader ends", within: 60) { result.withLock { $0 } }
        #expect(try end.get() == 0)
    }

    @Test func closingEndsConnecting() async throws {
        let isConnecting = Locked(false)
        try await closes(
            ReconnectingWebSocket {
                isConnecting.withLock { $0 = true }
                try await SystemClock().sleep(for: .infinity)
                throw NetworkFailure(cause: .networkUnavailable)
            }, isConnecting)
    }

    @Test func closingEndsResubscribing() async throws {
        let isSubscribing = Locked(false)
        let url = try server.url("echo")
        try await closes(
            NetworkClient().reconnectingWebSocket(to: url) { _ in
                isSubscribing.withLock { $0 = true }
                try await SystemClock().sleep(for: .infinity)
            }, isSubscribing)
        try await server.wait(for: "end echo 1000")
    }

    @Test func cancellingTheReaderLeavesItAsItIs() async throws {
        let feed = try feed("stays=1")
        var messages = feed.messages.makeAsyncIterator()
        _ = try await messages.next()
        _ = try await messages.next()
        let reader = Task {
            var messages = feed.messages.makeAsyncIterator()
            return try await messages.next()
        }
        reader.cancel()
        await #expect(throws: NetworkFailure.self) { _ = try await reader.value }
        try await feed.send(.text("here"))
        #expect(try await messages.next() == .text("here"))
        #expect(server.log.filter { $0 == "topic prices" }.count == 1)
        await feed.close()
    }
}
