/// A request as a value: URL, method, parameters, headers, and how to send it (seed 000).
///
/// It can be kept, handed to a stub, and encoded (`Codable`), for instance to send it when the device is online again.
/// Parameters come back from decoding as ``JSONValue``. They make the same query again, and the same JSON if the config was
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
    /// The body, encoded by the client's encoder: as a JSON object unless another was given. Empty for no body.
    public var bodyParameters: [String: any Encodable & Sendable]
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
}

extension RequestConfig: Codable {
    private enum CodingKeys: String, CodingKey {
        case url, method, queryParameters, bodyParameters, headers, cachePolicy, retryCount, timeout
        case allowsBodyOnGet
    }

    /// Reads what ``encode(to:)`` wrote. Keys that are missing get their defaults, so that what an older version stored can
    /// still be read.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        method = try container.decodeIfPresent(HTTPMethod.self, forKey: .method) ?? .get
        queryParameters = try container.decodeIfPresent(Parameters.self, forKey: .queryParameters)?.values ?? [:]
        bodyParameters = try container.decodeIfPresent(Parameters.self, forKey: .bodyParameters)?.values ?? [:]
        headers = try container.decodeIfPresent(HTTPHeaders.self, forKey: .headers) ?? HTTPHeaders()
        cachePolicy = try container.decodeIfPresent(CachePolicy.self, forKey: .cachePolicy)
        retryCount = try container.decodeIfPresent(Int.self, forKey: .retryCount) ?? 0
        timeout = try container.decodeIfPresent(TimeInterval.self, forKey: .timeout)
        allowsBodyOnGet = try container.decodeIfPresent(Bool.self, forKey: .allowsBodyOnGet) ?? false
    }

    /// Writes all of it, headers included: what is stored may hold credentials, so store it privately.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(method, forKey: .method)
        // As a query has them, whatever the encoder does with dates.
        try container.encode(queryParameters.mapValues { try JSONValue(encoding: $0) }, forKey: .queryParameters)
        try container.encode(Parameters(bodyParameters), forKey: .bodyParameters)
        try container.encode(headers, forKey: .headers)
        try container.encodeIfPresent(cachePolicy, forKey: .cachePolicy)
        try container.encode(retryCount, forKey: .retryCount)
        try container.encodeIfPresent(timeout, forKey: .timeout)
        if allowsBodyOnGet { try container.encode(true, forKey: .allowsBodyOnGet) }
    }
}
