import NetCore

/// The messages of a WebSocket, in the order in which they came. It ends when the WebSocket is closed as it should be, and throws what
/// ``WebSocket/receive()`` throws. It holds the WebSocket.
///
/// Iterating a second time goes on where the first left off; of two that run at the same time, each gets a part.
public struct WebSocketMessages: AsyncSequence, Sendable {
    /// A message.
    public typealias Element = WebSocketMessage
    let socket: WebSocket

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// Reads.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket

        /// The next message, or nil at the end.
        ///
        /// - Throws: ``NetworkFailure``: see ``WebSocket/receive()``.
        public mutating func next() async throws -> WebSocketMessage? {
            try await socket.receive()
        }
    }
}

/// The messages of a WebSocket, decoded: text and bytes alike.
///
/// One that does not fit throws ``NetworkError/decodingError(_:)``. The WebSocket stays open, and another iteration goes on behind it.
public struct WebSocketValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    /// What a message is decoded to.
    public typealias Element = Value
    let socket: WebSocket

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// Reads and decodes.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket

        /// The next value, or nil at the end.
        ///
        /// - Throws: ``NetworkFailure``: see ``WebSocket/receive()``; ``NetworkError/decodingError(_:)``.
        public mutating func next() async throws -> Value? {
            guard let message = try await socket.receive() else { return nil }
            do {
                return try socket.decoder.decode(Value.self, from: message.data)
            } catch {
                throw socket.failure(NetworkError.decodingError(error))
            }
        }
    }
}
