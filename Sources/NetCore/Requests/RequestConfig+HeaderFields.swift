// With the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`, as in the initialisers without `some`.
extension RequestConfig {
    /// A request whose headers are a dictionary.
    @_disfavoredOverload
    public init(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: some Sequence<(key: String, value: String)>,
        cachePolicy: CachePolicy? = nil,
        retryCount: Int = 0,
        timeout: TimeInterval? = nil
    ) {
        self.init(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), cachePolicy: cachePolicy, retryCount: retryCount, timeout: timeout)
    }

    /// A request whose parameters are JSON values, and whose headers are a dictionary.
    @_disfavoredOverload
    public init(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: JSONValue] = [:],
        bodyParameters: [String: JSONValue],
        headers: some Sequence<(key: String, value: String)>,
        cachePolicy: CachePolicy? = nil,
        retryCount: Int = 0,
        timeout: TimeInterval? = nil
    ) {
        self.init(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), cachePolicy: cachePolicy, retryCount: retryCount, timeout: timeout)
    }

    /// A request whose body is any value, and whose headers are a dictionary.
    @_disfavoredOverload
    public init(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: (any Encodable & Sendable)?,
        contentType: RequestContentType = .clientEncoder,
        headers: some Sequence<(key: String, value: String)>,
        cachePolicy: CachePolicy? = nil,
        retryCount: Int = 0,
        timeout: TimeInterval? = nil
    ) {
        self.init(
            url: url, method: method, queryParameters: queryParameters, body: body, contentType: contentType,
            headers: HTTPHeaders(fields: headers), cachePolicy: cachePolicy, retryCount: retryCount, timeout: timeout)
    }
}
