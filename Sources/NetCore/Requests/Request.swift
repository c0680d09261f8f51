/// A request with the type of its response. Send it with `client.send(_:)`.
///
/// ```swift
/// let user = try await client.send(Request<User>(method: .get, path: "/user"))
/// ```
public struct Request<Response>: Sendable {
    /// The destination of a request.
    public enum Target: Hashable, Sendable {
        /// A path after the client's base URL, as plain text: see ``Endpoint/path``.
        case path(String)
        /// The components of such a path, each of which may contain anything, including slashes.
        case pathComponents([String])
        /// A whole, encoded URL. The client's own credentials are sent only if it has the origin of the base URL.
        case absolute(URL)
    }

    public var method: HTTPMethod
    public var target: Target
    /// Added to the URL's query, sorted by name: see ``QueryEncoding``.
    public var query: [String: any Encodable & Sendable]
    /// Added after ``query``, in this order.
    public var queryItems: [URLQueryItem]
    /// A value whose properties are added after ``queryItems``.
    public var queryObject: (any Encodable & Sendable)?
    /// The body, or nil for none. `Data` and texts are sent as they are.
    public var body: (any Encodable & Sendable)?
    /// A body that needs no encoding, such as a file or a stream. It replaces ``body``.
    public var rawBody: HTTPBody?
    /// The header fields, which replace those of the same name in the client's environment.
    public var headers: HTTPHeaders
    /// The encoding of ``body``.
    public var contentType: RequestContentType
    /// The longest time without any byte, in seconds, or nil for the client's.
    public var timeoutInterval: TimeInterval?
    /// The use of caches, in Foundation's terms, or nil for the client's.
    public var cachePolicy: URLRequest.CachePolicy?
    /// Whether a GET or HEAD request may have a body: see ``RequestConfig/allowsBodyOnGet``. False by default.
    public var allowsBodyOnGet = false
    /// The settings of this request in place of the client's.
    public var options: RequestOptions {
        get { optionsBox.options }
        set { optionsBox.options = newValue }
    }
    package private(set) var optionsBox: Boxed<RequestOptions>?
    /// The source of the request's credentials, or nil for the client's.
    package private(set) var authenticationProvider: (any AuthenticationProvider)?

    /// Creates a request for a path after the client's base URL, with the client's credentials.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: plain text: see ``Endpoint/path``.
    ///   - query: added to the URL's query.
    ///   - queryItems: added after `query`, in this order.
    ///   - queryObject: a value whose properties are added after `queryItems`.
    ///   - body: the body.
    ///   - headers: the header fields.
    ///   - contentType: the encoding of the body.
    ///   - cachePolicy: the use of caches.
    ///   - timeoutInterval: the longest time without any byte, in seconds.
    public init(
        method: HTTPMethod = .get, path: String, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: HTTPHeaders = HTTPHeaders(),
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.method = method
        target = .path(path)
        self.query = query
        self.queryItems = queryItems
        self.queryObject = queryObject
        self.body = body
        self.headers = headers
        self.contentType = contentType
        self.cachePolicy = cachePolicy
        self.timeoutInterval = timeoutInterval
    }

    /// Creates a request for a path after the client's base URL, with its own credentials, or `.none`.
    public init(
        method: HTTPMethod = .get, path: String, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: HTTPHeaders = HTTPHeaders(),
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil, authenticationProvider: any AuthenticationProvider
    ) {
        self.init(
            method: method, path: path, query: query, queryItems: queryItems, queryObject: queryObject, body: body,
            headers: headers, contentType: contentType, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        self.authenticationProvider = authenticationProvider
    }

    /// Creates a request for a whole URL. ``authenticated(by:)`` gives it its own credentials.
    public init(
        method: HTTPMethod = .get, absoluteURL: URL, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: HTTPHeaders = HTTPHeaders(),
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.init(
            method: method, path: "", query: query, queryItems: queryItems, queryObject: queryObject, body: body,
            headers: headers, contentType: contentType, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        target = .absolute(absoluteURL)
    }

    /// Creates a request for a path of components, each of which may contain anything: `["files", "a/b.txt"]`.
    public init(method: HTTPMethod = .get, pathComponents: [String]) {
        self.init(method: method, path: "")
        target = .pathComponents(pathComponents)
    }

    /// Returns the same request with its own credentials, or `.none`.
    public func authenticated(by provider: any AuthenticationProvider) -> Request {
        var copy = self
        copy.authenticationProvider = provider
        return copy
    }
}

extension Request: RedactedReflectable {
    /// Method, target and header fields without secrets, and the names of the query. Query values and the body are not shown.
    public var shownFields: KeyValuePairs<String, Any?> {
        let names = queryItems.map { Redactor.standard.name($0.name) }
        return [
            "method": method.rawValue, "target": target, "query": query.shownNames,
            "queryItems": names.isEmpty ? nil : names, "queryObject": queryObject.map { "\(type(of: $0))" },
            "body": body.map { "\(type(of: $0))" }, "rawBody": rawBody, "headers": headers.isEmpty ? nil : headers,
            "timeoutInterval": timeoutInterval,
            "authenticationProvider": authenticationProvider.map { "\(type(of: $0))" },
        ]
    }
}

extension Request.Target: RedactedReflectable {
    /// The path or the URL, without secrets.
    public var shownFields: KeyValuePairs<String, Any?> {
        switch self {
        case .path(let path): ["path": Redactor.standard.url(path)]
        case .pathComponents(let components):
            ["pathComponents": Redactor.standard.url(components.joined(separator: "/"))]
        case .absolute(let url): ["absolute": url.redactedText]
        }
    }
}
