import NetCore

/// A connection that carries messages: our own framing over bytes, or the platform's WebSocket.
protocol WebSocketLink: Sendable {
    /// The next message, or nil when the peer has closed; ``closure`` says how. One reader at a time. Pings are answered meanwhile.
    ///
    /// - Throws: ``WebSocketError``, ``TransportError``, `CancellationError`. Nothing can be read afterwards.
    func receive() async throws -> WebSocketMessage?

    /// Returns when the system has taken the message.
    func send(_ message: WebSocketMessage) async throws

    /// Returns when the peer has answered.
    func ping() async throws

    /// Tells the peer that this end is done. It sends nothing afterwards.
    func close(_ closure: WebSocketClosure) async throws

    /// Ends politely after ``receive()`` has given nil or thrown: answers what there is to answer, and waits for the peer's end.
    func leave(after failure: (any Error)?) async

    /// Drops the connection at once. Twice is fine.
    func drop()

    /// How the peer has closed.
    var closure: WebSocketClosure { get }
}
