/// A request as a value: URL, method, parameters, headers, and settings.
///
/// It can be stored, passed to a stub, and encoded (`Codable`), for example to send it when the device is online again. Decoded parameters
/// and bodies are ``JSONValue``; dates, data and texts keep their types. They give the same query and the same form, and the same JSON if the
/// config was encoded with the encoder of the client that sends it, which determines dates and property names.
///
/// ```swift
/// let search = RequestConfig(
///     url: url, queryParameters: ["q": "swift"], headers: [.accept("application/json")], retryCount: 2)
/// ```
public struct RequestConfig: Sendable {
    /// The URL. Its query is kept; ``queryParameters`` are added after it.
    public var url: URL
    public var method: HTTPMethod
    /// Added to the URL's query: see ``QueryEncoding``.
    public var queryParameters: [String: any Encodable & Sendable]
    /// The body as an object, encoded as ``contentType``. Empty for no body, or if ``body`` is set.
    public var bodyParameters: [String: any Encodable & Sendable]
    /// The body: an array, a type with properties, or `Data` or a `String`, which are sent as they are. Nil for no body, or if
    /// ``bodyParameters`` is set. A request with both fails with ``NetworkError/invalidRequest``.
    public var body: (any Encodable & Sendable)?
    /// The encoding of the body; the client's encoder by default, which makes JSON unless the client has another.
    public var contentType: RequestContentType
    public var headers: HTTPHeaders
    /// The use of the cache, or nil for the client's rules.
    public var cachePolicy: CachePolicy?
    /// The maximum number of retries after a lost connection, a timeout, or a status that is ``NetworkError/isRetryable``. The delay
    /// starts at 0.3 s and doubles.
    public var retryCount: Int
    /// The longest time without any byte, in seconds, or nil for the client's.
    public var timeout: TimeInterval?
    /// Whether a GET or HEAD request may have a body. If false, the default, such a request fails with ``NetworkError/invalidRequest``,
    /// since servers and proxies may ignore or refuse the body (RFC 9110, section 9.3.1).
    public var allowsBodyOnGet = false
    /// The settings of this request in place of the client's.
    public var options: RequestOptions {
        get { optionsBox.options }
        set { optionsBox.options = newValue }
    }
    package private(set) var optionsBox: Boxed<RequestOptions>?

    /// Creates a request. Its body is an object of parameters, or any value: an array, a type with properties, a form, `Data`.
    ///
    /// ```swift
    /// let login = RequestConfig(
    ///     url: url, method: .post, body: ["user": "leia", "note": "a+b"], contentType: .formURLEncoded)
    /// ```
    public init(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(),
        cachePolicy: CachePolicy? = nil, retryCount: Int = 0, timeout: TimeInterval? = nil
    ) {
        self.url = url
        self.method = method
        self.queryParameters = queryParameters
        self.bodyParameters = bodyParameters
        self.body = body
        self.contentType = contentType
        self.headers = headers
        self.cachePolicy = cachePolicy
        self.retryCount = retryCount
        self.timeout = timeout
    }
}

extension RequestConfig: RedactedReflectable {
    /// Method, URL and header fields without secrets, and the names of the parameters. Parameter values and the body are not shown.
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
    /// The sorted names, or nil if there are none.
    package var shownNames: [String]? { isEmpty ? nil : keys.sorted().map(Redactor.standard.name) }
}

extension RequestConfig: Codable {
    private enum CodingKeys: String, CodingKey {
        case url, method, queryParameters, bodyParameters, headers, cachePolicy, retryCount, timeout
        case allowsBodyOnGet, body, bodyData, bodyText, contentType, options
    }

    /// Decodes the form that ``encode(to:)`` writes. Missing keys get their defaults, so that configs of older versions can be decoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(url: try container.decode(URL.self, forKey: .url))
        method = try container.decodeIfPresent(HTTPMethod.self, forKey: .method) ?? .get
        if let name = try container.decodeIfPresent(RequestContentType.Name.self, forKey: .contentType) {
            contentType = RequestContentType(name)
        }
        let isForm = contentType.name == .formURLEncoded
        func parameters(_ key: CodingKeys, isStored: Bool) throws -> [String: any Encodable & Sendable] {
            let values = try container.decodeIfPresent([String: JSONValue].self, forKey: key) ?? [:]
            return try values.mapValues { isStored ? try ParameterValue(stored: $0).parameter : $0 }
        }
        queryParameters = try parameters(.queryParameters, isStored: true)
        bodyParameters = try parameters(.bodyParameters, isStored: isForm)
        if let data = try container.decodeIfPresent(Data.self, forKey: .bodyData) {
            body = data
        } else if let text = try container.decodeIfPresent(String.self, forKey: .bodyText) {
            body = text
        } else if container.contains(.body) {
            // Null is a body, not a missing one.
            let value = try container.decode(JSONValue.self, forKey: .body)
            body = isForm ? try ParameterValue(stored: value).parameter : value
        }
        headers = try container.decodeIfPresent(HTTPHeaders.self, forKey: .headers) ?? HTTPHeaders()
        cachePolicy = try container.decodeIfPresent(CachePolicy.self, forKey: .cachePolicy)
        retryCount = try container.decodeIfPresent(Int.self, forKey: .retryCount) ?? 0
        timeout = try container.decodeIfPresent(TimeInterval.self, forKey: .timeout)
        allowsBodyOnGet = try container.decodeIfPresent(Bool.self, forKey: .allowsBodyOnGet) ?? false
        options = try container.decodeIfPresent(RequestOptions.self, forKey: .options) ?? RequestOptions()
    }

    /// Encodes the whole request, including headers, which may hold credentials. Store the result privately.
    ///
    /// - Throws: `EncodingError` if ``contentType`` was made with a closure; the errors of the values.
    public func encode(to encoder: any Encoder) throws {
        guard let type = contentType.name else {
            throw EncodingError.invalid(
                contentType, at: encoder.codingPath + [CodingKeys.contentType],
                "A content type made with a closure cannot be encoded.")
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(method, forKey: .method)
        // The conventions of a query or a form apply when it is sent, whatever the encoder's strategies.
        try container.encode(ParameterValue.members(queryParameters).mapValues(\.stored), forKey: .queryParameters)
        if type == .formURLEncoded {
            try container.encode(ParameterValue.members(bodyParameters).mapValues(\.stored), forKey: .bodyParameters)
        } else {
            try container.encode(Parameters(bodyParameters), forKey: .bodyParameters)
        }
        switch body {
        case nil: break
        case let data as Data: try container.encode(data, forKey: .bodyData)
        case let text as String: try container.encode(text, forKey: .bodyText)
        case let body? where type == .formURLEncoded:
            try container.encode(ParameterValue(encoding: body).stored, forKey: .body)
        case let body?: try container.encode(body, forKey: .body)
        }
        if type != .clientEncoder { try container.encode(type, forKey: .contentType) }
        try container.encode(headers, forKey: .headers)
        try container.encodeIfPresent(cachePolicy, forKey: .cachePolicy)
        try container.encode(retryCount, forKey: .retryCount)
        try container.encodeIfPresent(timeout, forKey: .timeout)
        if optionsBox != nil { try container.encode(options, forKey: .options) }
        if allowsBodyOnGet { try container.encode(true, forKey: .allowsBodyOnGet) }
    }
}
