import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5)), .requires(.python3)) struct StreamServerTests {
    private struct State: Decodable, Sendable { let sent: Int }

    private func state(of server: PythonServer) async throws -> State {
        try await NetworkClient(transport: .platform).execute(URLRequest(url: server.url("state")))
    }

    @Test func eventsOverSeveralConnections() async throws {
        let (server, clock) = try await (StreamServer.start(), TestClock(autoAdvance: true))
        let client = NetworkClient(transport: .platform, clock: clock)
        let events = try await client.serverSentEvents(for: URLRequest(url: server.url("events"))).collected(7)
        #expect(events == (1...6).map { ServerSentEvent(event: "tick", data: "é\($0)\n😀", id: String($0)) })
        // 10 ms are the server's wish; less than the least.
        #expect(clock.sleeps == [0.1, 0.1, 0.1])
    }

    /// A reader that stops makes the server stop: the number of sent bytes no longer grows, and is a small part of the whole.
    @Test func slowReaderStopsTheServer() async throws {
        let server = try await StreamServer.start()
        let stream = try await NetworkClient(transport: .platform).stream(for: URLRequest(url: server.url("lines")))
        var lines = stream.lines().makeAsyncIterator()
        var count = 0
        func read(_ wanted: Int) async throws {
            for _ in 0..<wanted where try await lines.next()?.utf8.count == 63 { count += 1 }
        }
        try await read(1000)
        #expect(count == 1000)
        // Each look takes a round trip to the same server: one that could send would have sent.
        var (looks, sent) = (0, -1)
        while looks < 200 {
            let now = try await state(of: server).sent
            looks = now == sent ? looks + 1 : 0
            sent = now
        }
        #expect(sent > 1000 * 64 && sent < 40 << 20, "\(sent)")
        let more = 2 * sent / 64
        try await read(more)
        #expect(count == 1000 + more)
        #expect(try await state(of: server).sent >= 64 * count)
    }
}
