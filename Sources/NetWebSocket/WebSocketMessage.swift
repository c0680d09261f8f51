public import NetCore

/// What is sent over a WebSocket: text or bytes (RFC 6455, section 5.6).
public enum WebSocketMessage: Hashable, Sendable {
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

extension WebSocketMessage: CustomStringConvertible, CustomReflectable {
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

extension WebSocketMessage {
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
