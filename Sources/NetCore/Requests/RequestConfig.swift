/// A request as a value: URL, method, parameters, headers, and how to send it (seed 000).
///
/// It can be kept, handed to a stub, and encoded (`Codable`), for instance to send it when the device is online again.
/// Parameters and bodies come back from decoding as ``JSONValue``. They make the same query again, and the same JSON if the config was
/// encoded with the encoder of the client that sends it: that one decided how dates and property names look.
///
/// ```swift
/// let search = RequestConfig(
///     url: url, queryParameters: ["q": "swift"], headers: [.accept("application/json")], retryCount: 2)
/// ```
public struct RequestConfig: Sendable {
    /// The URL. A query in it is kept; ``queryParameters`` are added behind it.
    public var url: URL
    /// The method.
    public var method: HTTPMethod
    /// Added to the URL's query, encoded as ``QueryEncoder`` says.
    public var queryParameters: [String: any Encodable & Sendable]
    /// The body as an object, encoded as ``contentType`` says. Empty for no body, or for one in ``body``.
    public var bodyParameters: [String: any Encodable & Sendable]
    /// The body: an array, a type with properties, or `Data`, which is sent as it is. Nil for no body, or for one in
    /// ``bodyParameters``. A request that has both fails with ``NetworkError/invalidRequest``.
    public var body: (any Encodable & Sendable)?
    /// How the body is encoded: by the client's encoder unless set, which makes JSON unless the client has another.
    public var contentType = RequestContentType.clientEncoder
    /// The headers.
    public var headers: HTTPHeaders
    /// What a cache may do; nil for the client's own rules.
    public var cachePolicy: CachePolicy?
    /// How many times a failed request is sent again: after a lost connection, a timeout, or a status that ``NetworkError/isRetryable``
    /// names. The delay starts at 0.3 s and doubles.
    public var retryCount: Int
    /// The longest time without any byte, in seconds; nil for the client's.
    public var timeout: TimeInterval?
    /// Whether a GET or HEAD request may have a body. False by default: the call then fails with
    /// ``NetworkError/invalidRequest``, since servers and proxies may ignore or refuse such a body (RFC 9110, section 9.3.1).
    public var allowsBodyOnGet = false

    /// A request.
    public init(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        cachePolicy: CachePolicy? = nil,
        retryCount: Int = 0,
        timeout: TimeInterval? = nil
    ) {
        self.url = url
        self.method = method
        self.queryParameters = queryParameters
        self.bodyParameters = bodyParameters
        self.headers = headers
        self.cachePolicy = cachePolicy
        self.retryCount = retryCount
        self.timeout = timeout
    }

    /// A request whose parameters are JSON values, so that literals may be mixed at any depth.
    @_disfavoredOverload
    public init(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: JSONValue] = [:],
        bodyParameters: [String: JSONValue] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        cachePolicy: CachePolicy? = nil,
        retryCount: Int = 0,
        timeout: TimeInterval? = nil
    ) {
        self.init(
            url: url, method: method, queryParameters: queryParameters as [String: any Encodable & Sendable],
            bodyParameters: bodyParameters as [String: any Encodable & Sendable], headers: headers,
            cachePolicy: cachePolicy, retryCount: retryCount, timeout: timeout)
    }

    /// A request whose body is any value: an array, a type with properties, a form, `Data`.
    ///
    /// ```swift
    /// let login = RequestConfig(
    ///     url: url, method: .post, body: ["user": "leia", "note": "a+b"], contentType: .formURLEncoded)
    /// ```
    public init(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: (any Encodable & Sendable)?,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        cachePolicy: CachePolicy? = nil,
        retryCount: Int = 0,
        timeout: TimeInterval? = nil
    ) {
        self.init(
            url: url, method: method, queryParameters: queryParameters, headers: headers, cachePolicy: cachePolicy,
            retryCount: retryCount, timeout: timeout)
        self.body = body
        self.contentType = contentType
    }
}

extension RequestConfig: RedactedReflectable {
    /// Method, URL and header fields without secrets, and the names of the parameters. Their values and the body are not shown.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "method": method.rawValue, "url": url.redactedText,
            "queryParameters": queryParameters.shownNames, "bodyParameters": bodyParameters.shownNames,
            "body": body.map { "\(type(of: $0))" }, "headers": headers.isEmpty ? nil : headers,
            "cachePolicy": cachePolicy, "retryCount": retryCount, "timeout": timeout,
        ]
    }
}

extension [String: any Encodable & Sendable] {
    /// The names in order; nil for none.
    package var shownNames: [String]? { isEmpty ? nil : keys.sorted().map(Redactor.standard.name) }
}
