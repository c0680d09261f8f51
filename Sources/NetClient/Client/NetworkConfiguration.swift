/// What clients start from, in the terms of ``NetworkManager``: the base URL, retries, credentials, the session's settings, coders and cache.
///
/// ``NetworkClient/Configuration`` has these settings and all others.
public struct NetworkConfiguration: Sendable {
    var client: NetworkClient.Configuration

    /// A configuration.
    ///
    /// - Parameters:
    ///   - baseURL: the URL that paths are added to; nil if every request names its own.
    ///   - retryPolicy: when a failed request is sent again: by default three times, see ``RetryPolicy/default``.
    ///   - authProvider: gives requests to the base URL their credentials.
    ///   - urlSessionConfiguration: the settings of the transport, in Foundation's terms; read now. `Docs/Transports.md` has the table of
    ///     what is taken over; ``transport`` has more.
    ///   - decoder: JSON with ISO 8601 dates unless given.
    ///   - encoder: JSON with ISO 8601 dates unless given.
    ///   - cache: answers requests from stored responses: `.shared`, or `ResponseCache(maxEntries: 100)`; nil for no cache.
    ///   - cachePolicy: what caches may do.
    ///   - timeoutInterval: the longest time without any byte, in seconds; nil for 60.
    public init(
        baseURL: URL? = nil,
        retryPolicy: RetryPolicy = .default,
        authProvider: any AuthenticationProvider = .none,
        urlSessionConfiguration: URLSessionConfiguration = .default,
        decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601,
        cache: (any HTTPCaching)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval? = nil
    ) {
        client = NetworkClient.Configuration(baseURL: baseURL)
        client.retryPolicy = retryPolicy
        client.authenticationProvider = authProvider
        client.decoder = decoder
        client.encoder = encoder
        client.cache = cache
        client.cachePolicy = cachePolicy
        client.timeoutInterval = timeoutInterval
        client.setTransport(mapping: urlSessionConfiguration)
    }

    init(_ client: NetworkClient.Configuration) {
        self.client = client
    }

    /// The URL that paths are added to; nil if every request has to name its own.
    public var baseURL: URL? {
        get { client.baseURL }
        set { client.baseURL = newValue }
    }
    /// When a failed request is sent again.
    public var retryPolicy: RetryPolicy {
        get { client.retryPolicy }
        set { client.retryPolicy = newValue }
    }
    /// Gives requests to ``baseURL`` their credentials.
    public var authProvider: any AuthenticationProvider {
        get { client.authenticationProvider }
        set { client.authenticationProvider = newValue }
    }
    /// The settings of the transport; nil if the `URLSessionConfiguration` that was given cannot be taken over: clients then fail
    /// every request with ``NetworkError/unsupported(_:)``, which says why.
    public var transport: TransportConfiguration? {
        get { client.refusal == nil ? client.transportConfiguration : nil }
        set { client.transportConfiguration = newValue ?? TransportConfiguration() }
    }
    /// Decodes the bodies of responses.
    public var decoder: any BodyDecoder {
        get { client.decoder }
        set { client.decoder = newValue }
    }
    /// Encodes the bodies of requests.
    public var encoder: any BodyEncoder {
        get { client.encoder }
        set { client.encoder = newValue }
    }
    /// Answers requests from stored responses; nil for no cache.
    public var cache: (any HTTPCaching)? {
        get { client.cache }
        set { client.cache = newValue }
    }
    /// What caches may do, in Foundation's terms.
    public var cachePolicy: URLRequest.CachePolicy {
        get { client.cachePolicy }
        set { client.cachePolicy = newValue }
    }
    /// The longest time without any byte, in seconds; nil for 60.
    public var timeoutInterval: TimeInterval? {
        get { client.timeoutInterval }
        set { client.timeoutInterval = newValue }
    }
}

extension NetworkClient.Configuration {
    /// Takes the transport's settings from a `URLSessionConfiguration`, or what speaks against them.
    package mutating func setTransport(mapping session: URLSessionConfiguration) {
        do throws(NetworkError) {
            transportConfiguration = try TransportConfiguration(mapping: session)
        } catch {
            transportConfiguration = TransportConfiguration()
            refusal = error
        }
    }
}
