public import NetCore

extension WebSocket {
    /// What is sent over a WebSocket: text or bytes (RFC 6455, section 5.6).
    public enum Message: Hashable, Sendable {
        /// Text, in UTF-8 on the wire.
        case text(String)
        /// Bytes.
        case binary(Data)

        /// The content as bytes: the text in UTF-8, or the bytes themselves.
        public var data: Data {
            switch self {
            case .text(let text): Data(text.utf8)
            case .binary(let data): data
            }
        }

        /// The text; nil for bytes.
        public var text: String? {
            if case .text(let text) = self { text } else { nil }
        }
    }
}

extension WebSocket.Message: CustomStringConvertible, CustomReflectable {
    /// The kind and the size: a message may hold anything, so that its content is in no log by accident.
    public var description: String {
        switch self {
        case .text(let text): "text, \(text.utf8.count) bytes"
        case .binary(let data): "binary, \(data.count) bytes"
        }
    }

    /// Shows the description alone, so that `dump` does not show the content either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension WebSocket.Message {
    init(_ payload: WebSocketPayload) {
        switch payload {
        case .text(let text): self = .text(text)
        case .binary(let data): self = .binary(data)
        }
    }

    var payload: WebSocketPayload {
        switch self {
        case .text(let text): .text(text)
        case .binary(let data): .binary(data)
        }
    }
}

extension WebSocket {
    /// The messages of a WebSocket, in the order in which they came. It ends when the WebSocket is closed as it should be, and throws what
    /// ``WebSocket/receive()`` throws. It holds the WebSocket.
    ///
    /// Iterating a second time goes on where the first left off; of two that run at the same time, each gets a part.
    public struct Messages: AsyncSequence, Sendable {
        /// A message.
        public typealias Element = WebSocket.Message
        let socket: WebSocket

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

        /// Reads.
        public struct Iterator: AsyncIteratorProtocol {
            let socket: WebSocket

            /// The next message, or nil at the end.
            ///
            /// - Throws: ``NetworkFailure``: see ``WebSocket/receive()``.
            public mutating func next() async throws -> WebSocket.Message? {
                try await socket.receive()
            }
        }
    }
}

extension WebSocket {
    /// The messages of a WebSocket, decoded: text and bytes alike.
    ///
    /// One that does not fit throws ``NetworkError/decodingError(_:)``. The WebSocket stays open, and another iteration goes on behind it.
    public struct Values<Value: Decodable & Sendable>: AsyncSequence, Sendable {
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
}
