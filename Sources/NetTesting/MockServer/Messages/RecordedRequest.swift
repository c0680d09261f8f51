public import NetCore
internal import NetSecurity

/// A request as ``MockServer`` received it.
public struct RecordedRequest: Sendable, CustomStringConvertible {
    public let method: HTTPMethod
    /// The target of the request line, with the query: `"/search?q=a%20b"`.
    public let target: String
    /// `"HTTP/1.1"`, `"HTTP/1.0"` or `"HTTP/2"`.
    public let httpVersion: String
    /// The header fields in their order, with duplicates. Over HTTP/2, `:authority` is `host`, and is the first field.
    public let headers: HTTPHeaders
    /// The trailer fields, which follow a chunked body in HTTP/1.1.
    public let trailers: HTTPHeaders
    /// The body without its chunk framing, up to the server's limit: see ``bodyLength``.
    public let body: Data
    /// The bytes of the body that arrived, including bytes that were not kept.
    public let bodyLength: Int64
    /// Whether the whole body arrived. It did not if the client closed the connection, or if the response did not wait for the body.
    public let isBodyComplete: Bool
    /// The number of the connection: 1 for the first that the server accepted.
    public let connection: Int
    /// The number of requests before it on the same connection: 0 for the first.
    public let indexOnConnection: Int
    /// The HTTP/2 stream: 1, 3, 5 and so on. Nil over HTTP/1.1.
    public let stream: Int?
    /// The time when the header fields were complete.
    public let arrival: Date
    /// The certificate that the client showed in the TLS handshake, in DER, or nil if it showed none.
    public let clientCertificate: Data?

    /// The subject of ``clientCertificate``: `"CN=Ada"`. Nil if there is none.
    public var clientCertificateSubject: String? {
        CertificateChain(certificates: clientCertificate.map { [$0] } ?? []).subjects.first
    }

    /// The path of the target, percent-encoded: `"/search"`. A proxy gets a whole URL as the target.
    public var path: String { String(Self.path(of: target)) }

    /// Returns the path of a request target in origin form or absolute form (RFC 9112, section 3.2).
    static func path(of target: String) -> Substring {
        let path = target.prefix { $0 != "?" }
        guard !path.hasPrefix("/"), let scheme = path.range(of: "://") else { return path }
        return path[scheme.upperBound...].firstIndex(of: "/").map { path[$0...] } ?? "/"
    }

    /// The query of the target, percent-encoded, or nil.
    public var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }

    /// The items of the query, percent-decoded. A `+` stays a plus, as in URLs and unlike in forms.
    public var queryItems: [URLQueryItem] {
        (query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                String(part).removingPercentEncoding ?? String(part)
            }
            return URLQueryItem(name: parts[0], value: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// Returns the first value of that name in the query, percent-decoded.
    public func queryValue(_ name: String) -> String? { queryItems.first { $0.name == name }?.value }

    /// The body as UTF-8 text. Bytes that are not UTF-8 become U+FFFD.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The body without its `Content-Encoding`, which may be gzip. Nil for another coding, and for a malformed or incomplete body.
    public var decodedBody: Data? {
        switch (headers["Content-Encoding"] ?? "identity").asciiLowercased {
        case "identity": body
        case "gzip", "x-gzip": Inflater.gzipped(body, limit: 1 << 30)
        default: nil
        }
    }

    /// Decodes the body from JSON, after ``decodedBody``.
    ///
    /// - Throws: `DecodingError`.
    public func json<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: decodedBody ?? body)
    }

    /// The method and the target: `"GET /search?q=a"`.
    public var description: String { "\(method.rawValue) \(target)" }

    /// The cookies in their order. A cookie without `=` has an empty value.
    public var cookies: [(name: String, value: String)] {
        headers.values(for: "Cookie").flatMap { $0.split(separator: ";") }.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0]).withoutHTTPWhitespace
            return (name, parts.count > 1 ? String(parts[1]).withoutHTTPWhitespace : "")
        }
    }

    /// Returns the value of the first cookie of that name.
    public func cookie(_ name: String) -> String? { cookies.first { $0.name == name }?.value }
}

/// Answers a complete request.
typealias MockHandler = @Sendable (RecordedRequest) async throws -> MockResponse
