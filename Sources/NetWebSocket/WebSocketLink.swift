import NetCore

/// A connection that carries messages: our own framing over bytes, or the platform's WebSocket.
protocol WebSocketLink: Sendable {
    /// The next message, or nil when the peer has closed; ``closure`` says how. One reader at a time. Pings are answered meanwhile.
    ///
    /// - Throws: ``WebSocketError``, ``TransportError``, `CancellationError`. Nothing can be read afterwards.
    func receive() async throws -> WebSocket.Message?

    /// Returns when the system has taken the message.
    func send(_ message: WebSocket.Message) async throws

    /// Returns when the peer has answered.
    func ping() async throws

    /// Tells the peer that this end is done. It sends nothing afterwards.
    func close(_ closure: WebSocket.Closure) async throws

    /// Ends politely after ``receive()`` has given nil or thrown: answers what there is to answer, and waits for the peer's end.
    func leave(after failure: (any Error)?) async

    /// Drops the connection at once. Twice is fine.
    func drop()

    /// How the peer has closed.
    var closure: WebSocket.Closure { get }
}

/// A WebSocket of the platform, which frames and answers pings by itself.
struct WebSocketTaskLink: WebSocketLink {
    private let task: any WebSocketTasking
    private let maximumMessageSize: Int

    init(_ task: any WebSocketTasking, maximumMessageSize: Int) {
        self.task = task
        self.maximumMessageSize = maximumMessageSize
    }

    func receive() async throws -> WebSocket.Message? {
        do {
            return try await task.receive().map(WebSocket.Message.init)
        } catch let error as NSError where error.domain == NSPOSIXErrorDomain && error.code == Int(EMSGSIZE) {
            // How URLSession says that a message is over its limit.
            throw WebSocketError.tooLarge(limit: maximumMessageSize)
        }
    }

    func send(_ message: WebSocket.Message) async throws {
        try await task.send(message.payload)
    }

    func ping() async throws {
        try await task.ping()
    }

    func close(_ closure: WebSocket.Closure) async throws {
        let payload = closure.payload
        task.close(
            code: closure.code.isSendable ? closure.code.rawValue : WebSocket.CloseCode.normalClosure.rawValue,
            reason: Data(payload.dropFirst(2)))
    }

    func leave(after failure: (any Error)?) async {
        if let code = (failure as? WebSocketError)?.closeCode {
            try? await close(WebSocket.Closure(code: code))
        } else {
            task.cancel()
        }
    }

    func drop() {
        task.cancel()
    }

    var closure: WebSocket.Closure {
        let (code, reason) = task.closure
        return WebSocket.Closure(code: WebSocket.CloseCode(rawValue: code), reason: reason)
    }
}
