public import NetCore

/// A reply of Redis: a value of RESP2 (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).
public enum RedisValue: Hashable, Sendable {
    case simpleString(String)
    /// An error inside an array. An error as the whole reply is thrown as ``RedisError/refused(_:)``.
    case error(String)
    case integer(Int64)
    case bulkString(Data)
    case array([RedisValue])
    /// A string or an array that does not exist.
    case null

    /// The bytes of a string, or nil for any other value.
    public var data: Data? {
        switch self {
        case .bulkString(let data): data
        case .simpleString(let text): Data(text.utf8)
        default: nil
        }
    }

    /// A string as text, or nil for any other value. U+FFFD replaces bytes that are not UTF-8.
    public var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }

    /// The elements of an array, or nil for any other value.
    public var elements: [RedisValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
