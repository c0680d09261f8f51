import NetTesting
import NetWebSocket
import TestLab
import Testing

/// Against a real server, Python's `websockets`.
@Suite(.timeLimit(.minutes(5)), .requires(.pythonPackages)) struct WebSocketTests {
    private let server: PythonWebSocketServer
    private let client = NetworkClient()

    init() async throws { server = try await PythonWebSocketServer() }

    @Test func sendsAndReceives() async throws {
        let socket = try await client.webSocket(to: server.url("echo"), options: .longCloseTimeout)
        let messages: [WebSocket.Message] = [
            .text("hello"), .text(""), .text("Grüße 😀"), .binary(Data([0, 1, 255])), .binary(Data()),
            .text(String(repeating: "é", count: 40_000)), .binary(pattern(3_000_000)),
        ]
        for message in messages { try await socket.expectEcho(message) }
        #expect(socket.response.status == 101 && socket.response.headers["Upgrade"]?.lowercased() == "websocket")
        #expect(socket.subprotocol == nil && socket.closeCode == nil)
        await socket.close()
        #expect(try await (socket.closeCode, socket.receive()) == (.normalClosure, nil))
        try await server.wait(for: "end echo 1000")
        await client.shutdown()
    }

    struct Event: Codable, Hashable, Sendable {
        let id: Int
        let name: String
    }

    @Test func sendsAndDecodesValues() async throws {
        let socket = try await client.webSocket(to: server.url("echo"))
        let events = (0..<3).map { Event(id: $0, name: "n\($0)") }
        for event in events { try await socket.send(event) }
        var found = socket.messages(of: Event.self).makeAsyncIterator()
        for event in events { #expect(try await found.next() == event) }
        // JSON is text.
        try await socket.send(Event(id: 1, name: "x"))
        #expect(try await socket.receive()?.text != nil)
        // One that does not fit is an error of its own; the WebSocket goes on.
        try await socket.send(.text("[]"))
        try await socket.send(events[0])
        let failure = await webSocketFailure { for try await _ in socket.messages(of: Event.self) {} }
        #expect(try await (failure?.code, found.next()) == ("decoding_error", events[0]))
        await socket.close()
    }

    @Test func fragmentsInBothDirections() async throws {
        let incoming = try await client.webSocket(to: server.url("fragments"))
        #expect(try await incoming.receive() == .text("Hello, wörld"))
        #expect(try await incoming.receive() == .binary(Data(count: 70000) + Data([1, 1, 1])))
        await incoming.close()
        let outgoing = try await client.webSocket(to: server.url("echo"), options: .init { $0.fragmentSize = 7 })
        for text in ["Grüße aus dem Norden 😀😀", "short", ""] { try await outgoing.expectEcho(.text(text)) }
        try await outgoing.expectEcho(.binary(pattern(1000)))
        await outgoing.close()
    }

    @Test func pingsBothWays() async throws {
        let socket = try await client.webSocket(to: server.url("ping"))
        #expect(try await socket.receive() == .text("ponged"))
        try await server.wait(for: "pong 125")
        #expect(try await socket.ping() >= 0)
        // Several at once are each answered.
        _ = try await atOnce(20) { _ in try await socket.ping() }
        await socket.close()
    }

    @Test(arguments: [1000, 1001] as [UInt16]) func normalCloseCodeEndsTheMessages(_ code: UInt16) async throws {
        let url = try server.url("close?code=\(code)&reason=bye")
        let socket = try await client.webSocket(to: url, options: .longCloseTimeout)
        for try await message in socket.messages { Issue.record("\(message)") }
        #expect(socket.closure == WebSocket.Closure(code: WebSocket.CloseCode(rawValue: code), reason: "bye"))
        #expect(await webSocketFailure { try await socket.send(.text("late")) }?.webSocketError?.code == .closed)
        // The server saw the same code come back.
        try await server.wait(for: "end close \(code)")
    }

    @Test(arguments: [1008, 1011, 1013, 4123] as [UInt16]) func otherCloseCodeIsAFailure(_ code: UInt16) async throws {
        let socket = try await client.webSocket(to: server.url("close?code=\(code)&reason=no"))
        let failure = await webSocketFailure { try await socket.receive() }
        let closure = WebSocket.Closure(code: WebSocket.CloseCode(rawValue: code), reason: "no")
        let error = failure?.webSocketError
        #expect((error?.code, error?.closure, failure?.request?.url?.path) == (.closed, closure, "/close"))
        #expect(socket.closeCode?.rawValue == code && socket.closeReason == "no")
    }

    @Test func closeSendsCodeAndReason() async throws {
        let socket = try await client.webSocket(to: server.url("echo"), options: .longCloseTimeout)
        await socket.close(code: WebSocket.CloseCode(rawValue: 4001), reason: "done with it")
        await socket.close()
        #expect(try await (socket.closeCode?.rawValue, socket.receive()) == (4001, nil))
        try await server.wait(for: "end echo 4001 done with it")
    }

    @Test func agreesOnASubprotocol() async throws {
        for (offered, agreed) in [(["chat.v1", "chat.v3"], "chat.v1"), (["chat.v3"], nil)] as [([String], String?)] {
            let socket = try await client.webSocket(to: server.url("echo"), protocols: offered)
            #expect(socket.subprotocol == agreed)
            await socket.close()
        }
    }

    @Test func abruptEndIsNetworkUnavailable() async throws {
        let socket = try await client.webSocket(to: server.url("drop"))
        try await socket.send(.text("go"))
        var last: WebSocket.Message?
        let failure = await webSocketFailure { for try await message in socket.messages { last = message } }
        #expect(failure?.cause == .networkUnavailable && failure?.isRetryable == true)
        #expect([.connectionLost, .connectionReset].contains(failure?.transportError?.code))
        #expect(socket.closeCode == .abnormalClosure)
        // Earlier messages are not lost, unless the reset overtook them.
        if failure?.transportError?.code == .connectionLost { #expect(last == .text("last")) }
    }

    @Test func releasedWebSocketClosesItsConnection() async throws {
        var socket: WebSocket? = try await client.webSocket(to: server.url("echo"))
        try await socket?.expectEcho(.text("x"))
        socket = nil
        try await server.wait(for: "end echo 1006")
    }

    @Test func cancellingAReaderLeavesTheWebSocketOpen() async throws {
        let socket = try await client.webSocket(to: server.url("echo"))
        let reader = Task { try await socket.receive() }
        try await Task.sleep(nanoseconds: 1_000_000)
        reader.cancel()
        #expect(await webSocketFailure { try await reader.value }?.cause == .cancelled)
        try await socket.expectEcho(.text("still here"))
        await socket.close()
    }

    @Test func concurrentMessagesAllArrive() async throws {
        let socket = try await client.webSocket(to: server.url("echo"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<1000 { group.addTask { try await socket.send(.text("message \(index)")) } }
            var found: Set<String> = []
            while found.count < 1000, let message = try await socket.receive() { found.insert(message.text ?? "") }
            #expect(found == Set((0..<1000).map { "message \($0)" }))
            try await group.waitForAll()
        }
        await socket.close()
    }

    @Test func keepsTheOrderOfOneSender() async throws {
        let socket = try await client.webSocket(to: server.url("echo"))
        let sender = Task { for index in 0..<2000 { try await socket.send(.text(String(index))) } }
        let texts = try await socket.messages.prefix(2000).reduce(into: [String]()) { $0.append($1.text ?? "") }
        #expect(texts == (0..<2000).map(String.init))
        try await sender.value
        await socket.close()
    }

    @Test func closingInACancelledTaskTellsTheServerWhy() async throws {
        let socket = try await client.webSocket(to: server.url("echo"), options: .longCloseTimeout)
        let task = Task {
            _ = try? await socket.receive()
            await socket.close(code: .goingAway)
        }
        task.cancel()
        await task.value
        try await server.wait(for: "end echo 1001")
    }
}
