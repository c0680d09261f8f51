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
