/// The settings of one request in place of its client's. Nil and an empty list mean the client's settings alone.
///
/// Every front door takes them: ``RequestConfig/options``, ``Request/options``, ``Endpoint/options``, `CallBuilder.options(_:)`, and
/// ``RequestContext/options`` for a `URLRequest`.
///
/// ```swift
/// var config = RequestConfig(url: url)
/// config.options.redirectPolicy = .doNotFollow
/// config.options.usesCookies = false
/// ```
public struct RequestOptions: Sendable {
    /// Interceptors that run once per call, inside the client's `callInterceptors`.
    public var callInterceptors: [any HTTPInterceptor] = []
    /// Interceptors that run for each attempt, inside the client's `interceptors`. The hooks of a ``RequestInterceptor`` are called after the
    /// client's.
    public var interceptors: [any HTTPInterceptor] = []
    /// Changes the request while it is prepared, before the cache: see ``RequestInterceptor/adapt(_:)``. Called for each hop and each
    /// later attempt, after the hooks of interceptors.
    public var onRequest: (@Sendable (inout URLRequest) async throws -> Void)?
    /// Receives the head of each response from the server, also of retried attempts and redirects. An error that it throws fails the attempt.
    public var onResponse: (@Sendable (TransportResponse) async throws -> Void)?
    /// The redirects to follow.
    public var redirectPolicy: RedirectPolicy?
    /// Whether the client's cookies are sent, and those of the response stored. True fails with ``NetworkError/unsupported(_:)`` if the
    /// client has no cookie store.
    public var usesCookies: Bool?
    /// The compression of the request's body; ``Compression/off`` for none.
    public var requestCompression: Compression?
    /// The servers to trust. Such a call has connections of its own: see ``Trust``.
    public var trust: Trust?
    /// The longest time to open a connection for the call, in seconds: name lookup, TCP and TLS. Nil means the transport's
    /// ``TransportConfiguration/Timeouts/connect``. A number that is not above zero means no limit.
    ///
    /// It limits the opening of a connection for each attempt of this call. A call over an open connection, or over one that is opened for
    /// another call, is not limited. `CurlTransport` supports it. `URLSessionTransport` refuses such a call with
    /// ``NetworkError/unsupported(_:)``. Another transport may ignore it.
    public var connectTimeout: TimeInterval?
    /// The path to the value to decode in the body of a successful response, such as `data.user` for `{"data": {"user": {…}}}`. Nil for the
    /// whole body.
    ///
    /// The components are keys, as in the document or as the decoder's key strategy converts them, and indices of arrays: `items.0`. A dot
    /// in a key is written `\.`. A missing key is ``NetworkError/decodingError(_:)``, also for an optional type. `Data` and `String` are
    /// decoded there, and not returned as received.
    public var responseKeyPath: String?
    /// The conventions of the query and of a form. A `URLRequest` has its query already, so they do not apply to it.
    public var queryEncoding: QueryEncoding?

    public init() {}

    /// The trust of one request, in place of its transport's.
    ///
    /// Keep the value: calls with copies of it share connections, and share none with other calls. The platform's transport supports it;
    /// others fail with ``NetworkError/unsupported(_:)``.
    public struct Trust: Sendable {
        /// The certificate authorities to trust.
        public let certificateAuthorities: TransportConfiguration.CertificateAuthorities
        /// Evaluates the server of each connection, after the platform's own evaluation. The call neither reads nor fills a cache then, since
        /// a stored response was accepted by another policy.
        public let policy: (any ServerTrustPolicy)?

        /// The same in copies: distinguishes the connections.
        package let id = ID()

        package final class ID: Sendable {}

        public init(
            certificateAuthorities: TransportConfiguration.CertificateAuthorities = .system,
            policy: (any ServerTrustPolicy)? = nil
        ) {
            self.certificateAuthorities = certificateAuthorities
            self.policy = policy
        }
    }

    /// Whether all settings are the client's.
    package var isDefault: Bool {
        !changesPipeline && usesCookies == nil && requestCompression == nil && responseKeyPath == nil
            && queryEncoding == nil && connectTimeout == nil
    }

    /// Whether the request needs a pipeline of its own.
    package var changesPipeline: Bool {
        !callInterceptors.isEmpty || !interceptors.isEmpty || onRequest != nil || onResponse != nil
            || redirectPolicy != nil || trust != nil
    }
}

// Equal options make the same request.
extension Boxed: Equatable, Hashable where Value == RequestOptions {
    package static func == (left: Boxed<RequestOptions>, right: Boxed<RequestOptions>) -> Bool {
        if haveSameStorage(left, right) { return true }
        // Closures and interceptors cannot be compared, and the key path and the query are not sent from here.
        let (left, right) = (left.value, right.value)
        return !left.changesPipeline && !right.changesPipeline && left.usesCookies == right.usesCookies
            && left.requestCompression == right.requestCompression && left.connectTimeout == right.connectTimeout
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(value.usesCookies) }
}

extension Boxed<RequestOptions>? {
    /// The options, on the heap, since most requests have none.
    package var options: RequestOptions {
        get { self?.value ?? RequestOptions() }
        set { self = newValue.isDefault ? nil : Boxed(newValue) }
    }
}

extension RequestContext {
    /// The settings of the call in place of the client's.
    public var options: RequestOptions {
        get { self[RequestOptionsKey.self].options }
        set {
            guard !newValue.isDefault || self[RequestOptionsKey.self] != nil else { return }
            self[RequestOptionsKey.self].options = newValue
        }
    }

    package var hasOptions: Bool { self[RequestOptionsKey.self] != nil }
    package mutating func setOptions(_ box: Boxed<RequestOptions>?) {
        if let box { self[RequestOptionsKey.self] = box }
    }
}

extension RequestOptions: Codable {
    private enum CodingKeys: String, CodingKey {
        case usesCookies, requestCompression, connectTimeout, responseKeyPath, queryEncoding
    }

    /// - Throws: `EncodingError` for interceptors, closures, a redirect policy and a trust, which cannot be encoded.
    public func encode(to encoder: any Encoder) throws {
        guard !changesPipeline else {
            throw EncodingError.invalid(
                self, at: encoder.codingPath,
                "Interceptors, closures, a redirect policy and a trust cannot be encoded. Set them on the client.")
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(usesCookies, forKey: .usesCookies)
        try container.encodeIfPresent(requestCompression, forKey: .requestCompression)
        try container.encodeIfPresent(connectTimeout, forKey: .connectTimeout)
        try container.encodeIfPresent(responseKeyPath, forKey: .responseKeyPath)
        try container.encodeIfPresent(queryEncoding, forKey: .queryEncoding)
    }
}

private enum RequestOptionsKey: RequestContext.Key { static let defaultValue: Boxed<RequestOptions>? = nil }

extension RequestOptions: RedactedReflectable {
    /// Shows the types of interceptors, whose values may hold secrets.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "callInterceptors": callInterceptors.map { "\(type(of: $0))" },
            "interceptors": interceptors.map { "\(type(of: $0))" }, "usesCookies": usesCookies,
            "requestCompression": requestCompression, "connectTimeout": connectTimeout,
            "responseKeyPath": responseKeyPath,
        ]
    }
}
