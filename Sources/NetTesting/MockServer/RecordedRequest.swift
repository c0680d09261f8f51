public import NetCore

/// A request as ``MockServer`` received it.
public struct RecordedRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The request target as it stood on the request line, query included: `"/search?q=a%20b"`.
    public let target: String
    /// `"HTTP/1.1"`, `"HTTP/1.0"` or `"HTTP/2"`.
    public let httpVersion: String
    /// The header fields in the order in which they came, duplicates included. Over HTTP/2, `:authority` is `host`, and comes first.
    public let headers: HTTPHeaders
    /// The fields behind a body, which is chunked in HTTP/1.1. Empty if there were none.
    public let trailers: HTTPHeaders
    /// The body without its chunk framing, up to the server's limit: see ``bodyLength``.
    public let body: Data
    /// The bytes of the body that arrived, also those that were not kept.
    public let bodyLength: Int64
    /// Whether the whole body arrived. It did not if the client went away, or if the answer did not wait for it.
    public let isBodyComplete: Bool
    /// The connection it came on: 1 for the first that the server accepted.
    public let connection: Int
    /// How many requests came before it on the same connection: 0 for the first.
    public let indexOnConnection: Int
    /// The stream of HTTP/2 that it came on: 1, 3, 5 and so on. Nil over HTTP/1.1.
    public let stream: Int?
    /// When its header fields had arrived.
    public let arrival: Date

    /// The target up to the question mark, still percent-encoded: `"/search"`. Of a whole URL, as a proxy gets it, only the path.
    public var path: String {
        String(RequestHead.path(of: target))
    }

    /// What stands behind the question mark, still percent-encoded; nil if there is none.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// The names and values of the query, percent-decoded. A `+` stays a plus, as in URLs (and not as in forms).
    public var queryItems: [URLQueryItem] {
        (query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                String(part).removingPercentEncoding ?? String(part)
            }
            return URLQueryItem(name: parts[0], value: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// The first value of that name in the query, percent-decoded.
    public func queryValue(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// The body as UTF-8 text. What is not UTF-8 is replaced by U+FFFD.
    public var bodyText: String {
        String(decoding: body, as: UTF8.self)
    }

    /// The body, decoded from JSON.
    ///
    /// - Throws: `DecodingError` if it is something else.
    public func json<Value: Decodable>(
        as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: body)
    }
}

extension RecordedRequest: CustomStringConvertible {
    /// The method and the target: `"GET /search?q=a"`.
    public var description: String {
        "\(method.rawValue) \(target)"
    }
}
