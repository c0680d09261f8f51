import NetCore

/// A connection that carries messages: our own framing over bytes, or the platform's WebSocket.
protocol WebSocketLink: Sendable {
    /// Returns the next message, or nil when the peer has closed; ``closure`` then tells how. Answers pings meanwhile. One reader at a time.
    ///
    /// - Throws: ``WebSocketError``, ``TransportError`` or `CancellationError`. After an error the link cannot be read.
    func receive() async throws -> WebSocket.Message?

    /// Sends a message. Returns when the system has taken it.
    func send(_ message: WebSocket.Message) async throws

    /// Sends a ping. Returns when the pong has arrived.
    func ping() async throws

    /// Sends a Close frame. Nothing can be sent after it.
    func close(_ closure: WebSocket.Closure) async throws

    /// Ends the connection after ``receive()`` has returned nil or thrown: answers with a Close frame if one is due, and waits for the peer's end.
    func leave(after failure: (any Error)?) async

    /// Drops the connection at once. A second call has no effect.
    func drop()

    /// How the peer closed.
    var closure: WebSocket.Closure { get }
}

/// A link over the platform's WebSocket, which frames messages and answers pings itself.
struct WebSocketTaskLink: WebSocketLink {
    let task: any WebSocketTasking
    let maximumMessageSize: Int

    func receive() async throws -> WebSocket.Message? {
        do {
            return try await task.receive().map(WebSocket.Message.init)
        } catch let error as NSError where error.domain == NSPOSIXErrorDomain && error.code == Int(EMSGSIZE) {
            // URLSession reports a message over its limit this way.
            throw WebSocketError.tooLarge(limit: maximumMessageSize)
        }
    }

    func send(_ message: WebSocket.Message) async throws { try await task.send(message.payload) }

    func ping() async throws { try await task.ping() }

    func close(_ closure: WebSocket.Closure) async throws {
        let code = closure.code.isSendable ? closure.code : .normalClosure
        task.close(code: code.rawValue, reason: Data(closure.payload.dropFirst(2)))
    }

    func leave(after failure: (any Error)?) async {
        if let code = (failure as? WebSocketError)?.closeCode {
            try? await close(WebSocket.Closure(code: code))
        } else {
            task.cancel()
        }
    }

    func drop() { task.cancel() }

    var closure: WebSocket.Closure {
        let (code, reason) = task.closure
        return WebSocket.Closure(code: WebSocket.CloseCode(rawValue: code), reason: reason)
    }
}
