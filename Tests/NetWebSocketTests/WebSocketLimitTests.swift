import NetTesting
import TestLab
import Testing

@testable import NetWebSocket

@Suite(.timeLimit(.minutes(5)), .requires(.pythonPackages)) struct WebSocketLimitTests {
    private let server: PythonWebSocketServer
    private let client = NetworkClient()

    init() async throws { server = try await PythonWebSocketServer() }

    @Test func messageOverTheLimitClosesWith1009() async throws {
        let options = WebSocket.Options { ($0.maximumMessageSize, $0.closeTimeout) = (1000, 120) }
        let socket = try await client.webSocket(to: server.url("echo"), options: options)
        try await socket.expectEcho(.binary(pattern(1000)))
        try await socket.send(.binary(pattern(1001)))
        let failure = await webSocketFailure { try await socket.receive() }
        #expect((failure?.cause, failure?.webSocketError?.code) == (.responseTooLarge(limit: 1000), .messageTooLarge))
        #expect(socket.closeCode == .messageTooBig)
        try await server.wait(for: "end echo 1009")
    }

    /// Violations of the protocol: bytes of a server, the close code that it gets, and our error.
    static let violations: [(hex: String, code: WebSocketError.Code, told: Int)] = [
        ("c100", .protocolViolation, 1002), ("8300", .protocolViolation, 1002), ("0900", .protocolViolation, 1002),
        ("8180000000004142", .protocolViolation, 1002), ("8000", .protocolViolation, 1002),
        ("880103", .protocolViolation, 1002), ("880203ed", .protocolViolation, 1002),
        ("897e0080", .protocolViolation, 1002), ("827fffffffffffffffff", .protocolViolation, 1002),
        ("8102c328", .invalidText, 1007), ("880403e8c328", .invalidText, 1007),
        ("827f7fffffffffffffff", .messageTooLarge, 1009),
    ]

    @Test(arguments: violations)
    func protocolViolationClosesWithItsCode(_ hex: String, _ code: WebSocketError.Code, _ told: Int) async throws {
        let socket = try await client.webSocket(to: server.url("raw?hex=\(hex)"), options: .longCloseTimeout)
        #expect(await webSocketFailure { try await socket.receive() }?.webSocketError?.code == code)
        #expect(Int(socket.closeCode?.rawValue ?? 0) == told)
        try await server.wait(for: "end raw \(told)")
    }

    @Test func slowReaderStopsTheServer() async throws {
        let total = 4000
        let socket = try await client.webSocket(to: server.url("flood?size=65536&number=\(total)"))
        try await waitUntilSteady("the server stands still", samples: 30) {
            server.log.last { $0.hasPrefix("sent ") }.flatMap { Int($0.dropFirst(5)) }
        }
        #expect(!server.log.contains("sent \(total)"))
        // Copies, as a slice may keep its whole message.
        var numbers: [Data] = []
        for try await message in socket.messages.prefix(total) { numbers.append(Data(message.data.prefix(8))) }
        #expect(numbers == (0..<total).map { Data(String(format: "%08d", $0).utf8) })
        try await server.wait(for: "sent \(total)")
        await socket.close()
    }

    /// Sends messages until the server takes no more.
    private func flood(
        _ socket: WebSocket, count: Int, size: Int
    ) async throws -> (sender: Task<Void, any Error>, sent: Int) {
        let sent = Locked(0)
        let sender = Task {
            for _ in 0..<count {
                try await socket.send(.binary(Data(count: size)))
                sent.withLock { $0 += 1 }
            }
        }
        try await waitUntilSteady("the sender stands still", samples: 30) { sent.withLock { $0 > 0 ? $0 : nil } }
        return (sender, sent.withLock { $0 })
    }

    @Test func slowServerStopsTheSender() async throws {
        let total = 4000
        let socket = try await client.webSocket(to: server.url("stall"), options: .longCloseTimeout)
        try await server.wait(for: "stalled")
        let (sender, sent) = try await flood(socket, count: total, size: 65536)
        #expect(sent < total)
        let other = try await client.webSocket(to: server.url("go"))
        try await sender.value
        await socket.close()
        try await server.wait(for: "count \(total)")
        await other.close()
    }

    /// A message that is cancelled while it waits is sent whole or not at all: what comes after it is still understood.
    @Test func cancelledSendKeepsTheStreamIntact() async throws {
        let socket = try await client.webSocket(to: server.url("stall"))
        try await server.wait(for: "stalled")
        // More than any socket takes.
        let senders = (0..<100).map { _ in Task { try await socket.send(.binary(Data(count: 300_000))) } }
        var cancelled = 0
        for sender in senders { sender.cancel() }
        for sender in senders { if (try? await sender.value) == nil { cancelled += 1 } }
        #expect(cancelled > 0)
        let last = Task { try await socket.send(.text("the end")) }
        let other = try await client.webSocket(to: server.url("go"))
        try await last.value
        try await server.wait(for: "message str 7")
        let received = server.log.filter { $0.hasPrefix("message bytes") }
        #expect(received.allSatisfy { $0 == "message bytes 300000" } && received.count >= 100 - cancelled)
        await socket.close()
        await other.close()
    }

    /// A WebSocket that pings every 30 s, and waits 10 s for the answer.
    private func pingingSocket(to path: String, _ clock: TestClock) async throws -> WebSocket {
        let options = WebSocket.Options { ($0.pingInterval, $0.pongTimeout) = (30, 10) }
        return try await NetworkClient(clock: clock).webSocket(to: server.url(path), options: options)
    }

    /// Without a pong, or an answer to its Close frame, this end gives up. A message and a ping that wait then fail as after the end: no
    /// task was cancelled.
    @Test(arguments: [false, true], [false, true])
    func deafServerEndsTheConnection(closes: Bool, isFlooded: Bool) async throws {
        let clock = TestClock()
        let socket = try await pingingSocket(to: "deaf", clock)
        #expect(try await socket.receive() == .text("deaf"))
        // More than any socket takes: neither a ping nor a Close frame is sent then.
        let sender = isFlooded ? try await flood(socket, count: 1000, size: 1 << 20).0 : nil
        let ping = Task { _ = try await socket.ping() }
        try await clock.waitForSleepers()
        if closes {
            let closing = Task { await socket.close() }
            try await clock.waitForSleepers(count: 2)
            await clock.advance(by: 5)
            await closing.value
            #expect(try await socket.receive() == nil)
        } else {
            await clock.advance(by: 30)
            try await clock.waitForSleepers()
            #expect(socket.closeCode == nil)
            await clock.advance(by: 10)
            #expect(await webSocketFailure { try await socket.receive() }?.webSocketError?.code == .pongMissing)
        }
        for task in [sender, ping].compactMap({ $0 }) {
            let failure = await webSocketFailure { try await task.value }
            #expect(failure?.webSocketError?.code == .closed, "\(String(describing: failure))")
            #expect(failure?.isCancellation == false)
        }
        #expect(socket.closeCode == .abnormalClosure)
    }

    @Test func answeredPingsKeepTheConnection() async throws {
        let clock = TestClock()
        let socket = try await pingingSocket(to: "echo", clock)
        for round in 1...6 {
            try await waitUntil("ping \(round)") { clock.sleeps.count { $0 == 30 } == round ? () : nil }
            if round < 6 { await clock.advance(by: 30) }
        }
        try await socket.expectEcho(.text("here"))
        await socket.close()
    }

    /// A Close frame behind unread messages is noticed.
    @Test func closeIsNoticedBehindUnreadMessages() async throws {
        // 13 MB are read meanwhile.
        let url = try server.url("flood?size=65536&number=200")
        let socket = try await client.webSocket(to: url, options: .longCloseTimeout)
        try await server.wait(for: "sent")
        await socket.close()
        #expect(socket.closeCode == .normalClosure)
    }

    #if os(Linux)
        /// Whenever a WebSocket is cancelled, closed or released.
        @Test(.ownProcess) func cancelledAndClosedWebSocketsLeaveNoDescriptorsOpen() async {
            await #expect(processExitsWith: .success) {
                let server = try await PythonWebSocketServer()
                let url = try server.url("echo")
                let client = NetworkClient()
                // Once, so that what is made once and kept is there: the engine's thread, and the descriptors of its loop.
                try await client.webSocket(to: url).close()
                try await ResourceCensus.settle()
                let before = ResourceCensus().descriptors.count
                @Sendable func waitUntilClosed() async throws {
                    try await waitUntil("all are closed") { ResourceCensus().descriptors.count <= before ? () : nil }
                }
                _ = try await atOnce(200) { index in
                    let task = Task {
                        let socket = try await client.webSocket(to: url)
                        try await socket.send(.binary(Data(count: 100_000)))
                        _ = try await socket.receive()
                        if index.isMultiple(of: 3) { await socket.close() }
                        if index.isMultiple(of: 2) { _ = try await socket.receive() }
                    }
                    try? await Task.sleep(nanoseconds: UInt64.random(in: 0..<60_000_000))
                    task.cancel()
                    _ = try? await task.value
                }
                try await waitUntilClosed()
                let socket = try await client.webSocket(to: url)
                try await socket.expectEcho(.text("alive"))
                await client.shutdown()
                // The connector's thread rests after a second.
                try await waitUntilClosed()
                server.stop()
            }
        }
    #endif
}
