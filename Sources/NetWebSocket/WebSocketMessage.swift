public import NetCore

extension WebSocket {
    /// A message: text or bytes (RFC 6455, section 5.6).
    public enum Message: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
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
        public var text: String? { if case .text(let text) = self { text } else { nil } }

        /// The kind and the size. The content is left out, since it may be secret.
        public var description: String { "\(text == nil ? "binary" : "text"), \(size) bytes" }

        /// The description only, so that `dump` does not show the content.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }
}

extension WebSocket.Message {
    /// The number of bytes.
    var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }

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
    /// The messages of a ``WebSocket`` or a ``ReconnectingWebSocket`` in order of arrival, as they are or decoded. It holds the WebSocket.
    ///
    /// A second iteration continues after the first. Of two at the same time, each gets some of the messages.
    public struct Messages<Element: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
        private let read: @Sendable () async throws -> Element?

        init(read: @escaping @Sendable () async throws -> Element?) { self.read = read }

        /// Begins to read.
        public func makeAsyncIterator() -> Self { self }

        /// Returns the next message, or nil at the end.
        ///
        /// - Throws: ``NetworkFailure``: see ``WebSocket/messages``, ``WebSocket/messages(of:)`` and ``ReconnectingWebSocket/messages``.
        public mutating func next() async throws -> Element? { try await read() }
    }
}
