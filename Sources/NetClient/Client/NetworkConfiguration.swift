/// What clients start from (seed 001): see ``NetworkManager``.
public struct NetworkConfiguration: Sendable {
    /// What paths are added to; nil if every request has to name its own.
    public var baseURL: URL?
    /// When a failed request is sent again.
    public var retryPolicy: RetryPolicy
    /// Gives requests to ``baseURL`` their credentials.
    public var authProvider: any AuthenticationProvider
    /// The settings of the transport; nil if the `URLSessionConfiguration` that was given cannot be taken over: clients then fail
    /// every request with ``NetworkError/unsupported(_:)``, which says why.
    public var transport: TransportConfiguration? {
        get { try? settings.get() }
        set { settings = .success(newValue ?? TransportConfiguration()) }
    }
    /// For the bodies of responses.
    public var decoder: any BodyDecoder
    /// For the bodies of requests.
    public var encoder: any BodyEncoder
    /// Answers requests from what is stored; nil for none.
    public var cache: (any HTTPCaching)?
    /// What caches may do, in Foundation's terms.
    public var cachePolicy: URLRequest.CachePolicy
    /// The longest time without any byte, in seconds.
    public var timeoutInterval: TimeInterval?

    private(set) var settings: Result<TransportConfiguration, NetworkError>

    /// A configuration without a cache.
    ///
    /// - Parameters:
    ///   - baseURL: what paths are added to.
    ///   - retryPolicy: when a failed request is sent again: by default three times, as seed 001 says.
    ///   - authProvider: gives requests to the base URL their credentials.
    ///   - urlSessionConfiguration: the settings of the transport, in Foundation's terms; read now. `Docs/Transports.md` has the table of
    ///     what is taken over; ``transport`` has more.
    ///   - decoder: JSON with ISO 8601 dates unless given.
    ///   - encoder: JSON with ISO 8601 dates unless given.
    ///   - cachePolicy: what caches may do.
    ///   - timeoutInterval: the longest time without any byte, in seconds; nil for 60.
    public init(
        baseURL: URL? = nil,
        retryPolicy: RetryPolicy = .default,
        authProvider: any AuthenticationProvider = .none,
        urlSessionConfiguration: URLSessionConfiguration = .default,
        decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.baseURL = baseURL
        self.retryPolicy = retryPolicy
        self.authProvider = authProvider
        self.decoder = decoder
        self.encoder = encoder
        self.cachePolicy = cachePolicy
        self.timeoutInterval = timeoutInterval
        settings = Result { () throws(NetworkError) in try TransportConfiguration(mapping: urlSessionConfiguration) }
    }

    /// A configuration with a cache: `.shared`, or `ResponseCache(maxEntries: 100)`. The other parameters are those of the
    /// initialiser without one.
    public init(
        baseURL: URL? = nil,
        retryPolicy: RetryPolicy = .default,
        authProvider: any AuthenticationProvider = .none,
        urlSessionConfiguration: URLSessionConfiguration = .default,
        decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601,
        cache: any HTTPCaching,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.init(
            baseURL: baseURL, retryPolicy: retryPolicy, authProvider: authProvider,
            urlSessionConfiguration: urlSessionConfiguration, decoder: decoder, encoder: encoder,
            cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        self.cache = cache
    }

    /// What a process has that configures nothing: no base URL, no retry, plain JSON.
    static let initial = NetworkConfiguration(retryPolicy: .none, decoder: .json, encoder: .json)

    var environment: (any NetworkEnvironment)? {
        baseURL.map { BaseURLEnvironment(baseURL: $0, timeout: timeoutInterval ?? 60) }
    }
}

/// An environment that is no more than a base URL.
private struct BaseURLEnvironment: NetworkEnvironment {
    let baseURL: URL
    let timeout: TimeInterval
}
