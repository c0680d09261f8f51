import AppleFoundation
import NetCore
import NetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct WebSocketTaskTests {
    @Test func tooLongMessageFailsTheWebSocket() async throws {
        let server = try MockServer { _ in .webSocket(MockWebSocket()) }
        let session = URLSession(configuration: .ephemeral)
        let task = session.webSocketTask(with: try #require(URL(string: "ws://127.0.0.1:\(server.port)/socket")))
        task.resume()
        task.maximumMessageSize = 10
        try await task.send(.string("longer than ten bytes"))
        let error = await #expect(throws: (any Error).self) { try await task.receive() }
        let known = error.map { $0 as NSError }
        #expect(known?.domain == NSPOSIXErrorDomain && known?.code == Int(EMSGSIZE))
        session.invalidateAndCancel()
    }

    @Test func refusedHandshakeKeepsTheResponse() async throws {
        let server = try MockServer { _ in .status(403) }
        let recorder = SessionRecorder()
        let session = URLSession(recorder)
        let task = session.webSocketTask(with: try #require(URL(string: "ws://127.0.0.1:\(server.port)/")))
        task.resume()
        await recorder.ended()
        #expect((task.response as? HTTPURLResponse)?.statusCode == 403)
        #expect((task.error as? URLError)?.code == .badServerResponse)
        session.invalidateAndCancel()
    }
}
