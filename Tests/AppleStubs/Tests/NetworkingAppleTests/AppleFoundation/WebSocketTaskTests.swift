import AppleFoundation
import NetCore
import NetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct WebSocketTaskTests {
    private func open(
        _ socket: MockWebSocket = MockWebSocket()
    ) throws -> (MockServer, URLSession, SessionRecorder, URLSessionWebSocketTask) {
        let server = try MockServer { _ in .webSocket(socket) }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        let url = try #require(URL(string: "ws://127.0.0.1:\(server.port)/socket"))
        let task = session.webSocketTask(with: url, protocols: socket.subprotocol.map { [$0] } ?? [])
        task.resume()
        return (server, session, recorder, task)
    }

    private func text(_ message: URLSessionWebSocketTask.Message) -> String? {
        if case .string(let text) = message { text } else { nil }
    }

    @Test func messagesGoBothWays() async throws {
        let (server, session, recorder, task) = try open(MockWebSocket(subprotocol: "chat"))
        try await task.send(.string("hello"))
        #expect(text(try await task.receive()) == "hello")
        let large = MockResponse.generatedBytes(count: 100_000)
        try await task.send(.data(large))
        guard case .data(let data) = try await task.receive() else {
            Issue.record("No data came.")
            return
        }
        #expect(data == large)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            task.sendPing { continuation.resume(with: $0.map { .failure($0) } ?? .success(())) }
        }
        #expect(recorder.calls == ["open chat"])
        task.cancel(with: .goingAway, reason: Data("bye".utf8))
        await recorder.ended()
        #expect(task.closeCode == .goingAway)
        #expect(recorder.calls.starts(with: ["open chat", "close 1001 bye"]))
        session.invalidateAndCancel()
        await server.stop()
    }

    @Test func aMessageThatIsTooLongEndsIt() async throws {
        let (server, session, _, task) = try open()
        task.maximumMessageSize = 10
        try await task.send(.string("longer than ten bytes"))
        let error = await #expect(throws: (any Error).self) { try await task.receive() }
        let known = error.map { $0 as NSError }
        #expect(known?.domain == NSPOSIXErrorDomain && known?.code == Int(EMSGSIZE))
        session.invalidateAndCancel()
        await server.stop()
    }

    @Test func aRefusedHandshakeLeavesTheResponse() async throws {
        let server = try MockServer { _ in .status(403) }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        let task = session.webSocketTask(with: try #require(URL(string: "ws://127.0.0.1:\(server.port)/")))
        task.resume()
        await recorder.ended()
        #expect((task.response as? HTTPURLResponse)?.statusCode == 403)
        #expect((task.error as? URLError)?.code == .badServerResponse)
        session.invalidateAndCancel()
        await server.stop()
    }

    @Test func cancellingEndsTheReaders() async throws {
        let (server, session, recorder, task) = try open()
        await recorder.heard("open -")
        let reading = Task { try await task.receive() }
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await reading.value }
        #expect(error?.code == .cancelled)
        #expect(task.closeCode == .invalid)
        session.invalidateAndCancel()
        await server.stop()
    }
}
