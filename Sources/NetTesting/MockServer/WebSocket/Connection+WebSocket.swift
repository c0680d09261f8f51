import NetCore

extension Connection {
    /// Opens a WebSocket, or says that it wants one.
    func open(_ socket: MockWebSocket, _ response: MockResponse) {
        guard let steps = WebSocketServer.opening(socket, for: parser.head, headers: response.headers) else {
            return start(
                .text("This is for WebSockets (RFC 6455).\n", status: 426).header("Upgrade", "websocket")
                    .header("Sec-WebSocket-Version", "13"))
        }
        webSocket = WebSocketServer(socket)
        phase = .open
        writer.append((response.delay > 0 ? [.wait(response.delay)] : []) + steps)
    }

    /// A turn of a WebSocket.
    func converse(now: TimeInterval) {
        if !inbox.isEmpty, let steps = webSocket?.receive(Data(inbox.bytes)) {
            inbox.removeAll()
            writer.append(steps)
        }
        switch writer.run(on: channel, now: now) {
        case .idle, .blocked, .until: if peerFinished { close() }
        case .perform(let action): perform(action)
        case .failed: close()
        }
    }
}
