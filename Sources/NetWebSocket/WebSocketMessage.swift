public import NetCore

extension WebSocket {
    /// A message: text or bytes (RFC 6455, section 5.6).
    public enum Message: Hashable, Sendable {
        /// A text, sent as UTF-8.
        case text(String)
        /// Bytes.
        case binary(Data)

        /// The content as bytes: the bytes themselves, or the text in UTF-8.
        public var data: Data {
            switch self {
            case .text(let text): Data(text.utf8)
            case .binary(let data): data
            }
        }

        /// The text, or nil for bytes.
        public var text: String? {
            if case .text(let text) = self { text } else { nil }
        }
    }
}

extension WebSocket.Message: CustomStringConvertible, CustomReflectable {
    /// The kind and the size. The content is left out, since it may be secret.
    public var description: String {
        switch self {
        case .text(let text): "text, \(text.utf8.count) bytes"
        case .binary(let data): "binary, \(data.count) bytes"
        }
    }

    /// The description only, so that `dump` does not show the content.
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
    /// The messages of a WebSocket, in order of arrival. The sequence ends when the WebSocket is closed normally, and throws the errors of
    /// ``WebSocket/receive()``. It holds the WebSocket.
    ///
    /// A second iteration continues after the first. Of two at the same time, each gets some of the messages.
    public struct Messages: AsyncSequence, Sendable {
        /// A message.
        public typealias Element = WebSocket.Message
        let socket: WebSocket

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

        /// Reads.
        public struct Iterator: AsyncIteratorProtocol {
            let socket: WebSocket

            /// Returns the next message, or nil at the end.
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
    /// A message that cannot be decoded throws ``NetworkError/decodingError(_:)``. The WebSocket stays open, and another iteration
    /// continues after that message.
    public struct Values<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// What a message is decoded to.
        public typealias Element = Value
        let socket: WebSocket

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

        /// Reads and decodes.
        public struct Iterator: AsyncIteratorProtocol {
            let socket: WebSocket

            /// Returns the next value, or nil at the end.
            ///
            /// - Throws: the errors of ``WebSocket/receive()``, and ``NetworkError/decodingError(_:)``.
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
