/// A request as a value that knows the type of its answer (seed 001): sent by `client.send(_:)`.
///
/// ```swift
/// let user = try await client.send(Request<User>(method: .get, path: "/user"))
/// ```
public struct Request<Response>: Sendable {
    /// Where a request goes.
    public enum Target: Hashable, Sendable {
        /// A path behind the client's base URL, as plain text: see ``Endpoint/path``.
        case path(String)
        /// The components of such a path, each of which may hold anything, a slash as well.
        case pathComponents([String])
        /// A whole URL, already encoded. The client's own credentials go along only if it has the origin of the base URL.
        case absolute(URL)
    }

    /// The method.
    public var method: HTTPMethod
    /// Where it goes.
    public var target: Target
    /// Added to the URL's query, sorted by name, encoded as ``QueryEncoder`` says.
    public var query: [String: any Encodable & Sendable]
    /// Added behind ``query``, in this order.
    public var queryItems: [URLQueryItem]
    /// Added behind ``queryItems``: the properties of a value.
    public var queryObject: (any Encodable & Sendable)?
    /// The body; nil for none. `Data` is sent as it is.
    public var body: (any Encodable & Sendable)?
    /// A body that needs no encoding, in place of ``body``: a file, a stream.
    public var rawBody: HTTPBody?
    /// The header fields, in place of those of the same name in the client's environment.
    public var headers: HTTPHeaders
    /// How ``body`` is encoded.
    public var contentType: RequestContentType
    /// The longest time without any byte, in seconds; nil for the client's.
    public var timeoutInterval: TimeInterval?
    /// What caches may do, in Foundation's terms; nil for the client's.
    public var cachePolicy: URLRequest.CachePolicy?
    /// Whether a GET or HEAD request may have a body: see ``RequestConfig/allowsBodyOnGet``. False by default.
    public var allowsBodyOnGet = false
    /// Where its credentials come from; nil if the client's are used.
    package private(set) var authenticationProvider: (any AuthenticationProvider)?

    /// A request for a path behind the client's base URL, with the client's credentials.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: as plain text: see ``Endpoint/path``.
    ///   - query: added to the URL's query.
    ///   - queryItems: added behind it, in this order.
    ///   - queryObject: a value whose properties are added behind that.
    ///   - body: the body.
    ///   - headers: the header fields.
    ///   - contentType: how the body is encoded.
    ///   - cachePolicy: what caches may do.
    ///   - timeoutInterval: the longest time without any byte, in seconds.
    public init(
        method: HTTPMethod = .get, path: String, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: HTTPHeaders = HTTPHeaders(),
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.init(
            method: method, target: .path(path), query: query, queryItems: queryItems, queryObject: queryObject,
            body: body, headers: headers, contentType: contentType, cachePolicy: cachePolicy,
            timeoutInterval: timeoutInterval)
    }

    /// A request for a path behind the client's base URL, with credentials of its own; `.none` for none.
    public init(
        method: HTTPMethod = .get, path: String, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: HTTPHeaders = HTTPHeaders(),
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil, authenticationProvider: any AuthenticationProvider
    ) {
        self.init(
            method: method, target: .path(path), query: query, queryItems: queryItems, queryObject: queryObject,
            body: body, headers: headers, contentType: contentType, cachePolicy: cachePolicy,
            timeoutInterval: timeoutInterval, authenticationProvider: authenticationProvider)
    }

    /// A request for a whole URL.
    public init(
        method: HTTPMethod = .get, absoluteURL: URL, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: HTTPHeaders = HTTPHeaders(),
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.init(
            method: method, target: .absolute(absoluteURL), query: query, queryItems: queryItems,
            queryObject: queryObject, body: body, headers: headers, contentType: contentType,
            cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
    }

    /// A request for a whole URL, with credentials of its own; `.none` for none.
    public init(
        method: HTTPMethod = .get, absoluteURL: URL, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: HTTPHeaders = HTTPHeaders(),
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil, authenticationProvider: any AuthenticationProvider
    ) {
        self.init(
            method: method, target: .absolute(absoluteURL), query: query, queryItems: queryItems,
            queryObject: queryObject, body: body, headers: headers, contentType: contentType,
            cachePolicy: cachePolicy, timeoutInterval: timeoutInterval,
            authenticationProvider: authenticationProvider)
    }

    /// A request for a path of components, each of which may hold anything: `["files", "a/b.txt"]`.
    public init(method: HTTPMethod = .get, pathComponents: [String]) {
        self.init(method: method, target: .pathComponents(pathComponents))
    }

    private init(
        method: HTTPMethod, target: Target, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: HTTPHeaders = HTTPHeaders(),
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil, authenticationProvider: (any AuthenticationProvider)? = nil
    ) {
        self.method = method
        self.target = target
        self.query = query
        self.queryItems = queryItems
        self.queryObject = queryObject
        self.body = body
        self.headers = headers
        self.contentType = contentType
        self.cachePolicy = cachePolicy
        self.timeoutInterval = timeoutInterval
        self.authenticationProvider = authenticationProvider
    }

    /// The same request with credentials of its own; `.none` for none.
    public func authenticated(by provider: any AuthenticationProvider) -> Request {
        var copy = self
        copy.authenticationProvider = provider
        return copy
    }
}

extension Request: RedactedReflectable {
    /// Method, target and header fields without secrets, and the names of the query. Its values and the body are not shown.
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

// With the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`, as in the initialisers without `some`.
extension Request {
    /// A request for a path behind the client's base URL, whose headers are a dictionary.
    @_disfavoredOverload
    public init(
        method: HTTPMethod = .get, path: String, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: some Sequence<(key: String, value: String)>,
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.init(
            method: method, path: path, query: query, queryItems: queryItems, queryObject: queryObject, body: body,
            headers: HTTPHeaders(fields: headers), contentType: contentType, cachePolicy: cachePolicy,
            timeoutInterval: timeoutInterval)
    }

    /// A request for a path behind the client's base URL, whose headers are a dictionary, with credentials of its own.
    @_disfavoredOverload
    public init(
        method: HTTPMethod = .get, path: String, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: some Sequence<(key: String, value: String)>,
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil, authenticationProvider: any AuthenticationProvider
    ) {
        self.init(
            method: method, path: path, query: query, queryItems: queryItems, queryObject: queryObject, body: body,
            headers: HTTPHeaders(fields: headers), contentType: contentType, cachePolicy: cachePolicy,
            timeoutInterval: timeoutInterval, authenticationProvider: authenticationProvider)
    }

    /// A request for a whole URL, whose headers are a dictionary.
    @_disfavoredOverload
    public init(
        method: HTTPMethod = .get, absoluteURL: URL, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: some Sequence<(key: String, value: String)>,
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.init(
            method: method, absoluteURL: absoluteURL, query: query, queryItems: queryItems, queryObject: queryObject,
            body: body,
            headers: HTTPHeaders(fields: headers), contentType: contentType, cachePolicy: cachePolicy,
            timeoutInterval: timeoutInterval)
    }

    /// A request for a whole URL, whose headers are a dictionary, with credentials of its own.
    @_disfavoredOverload
    public init(
        method: HTTPMethod = .get, absoluteURL: URL, query: [String: any Encodable & Sendable] = [:],
        queryItems: [URLQueryItem] = [], queryObject: (any Encodable & Sendable)? = nil,
        body: (any Encodable & Sendable)? = nil, headers: some Sequence<(key: String, value: String)>,
        contentType: RequestContentType = .clientEncoder, cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil, authenticationProvider: any AuthenticationProvider
    ) {
        self.init(
            method: method, absoluteURL: absoluteURL, query: query, queryItems: queryItems, queryObject: queryObject,
            body: body,
            headers: HTTPHeaders(fields: headers), contentType: contentType, cachePolicy: cachePolicy,
            timeoutInterval: timeoutInterval, authenticationProvider: authenticationProvider)
    }
}
