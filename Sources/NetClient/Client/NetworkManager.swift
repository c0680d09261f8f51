/// The process-wide configuration that every ``NetworkClient`` and the facade start from.
///
/// Configure it once, before the first client is made: a client copies the configuration when it is made, and does not change afterwards. By
/// default, clients have no base URL, retry nothing, and use plain JSON.
///
/// ```swift
/// NetworkManager.configure(baseURL: URL(string: "https://api.example.com"), retryPolicy: .default, timeoutInterval: 30)
/// let user = try await NetworkClient().send(Request<User>(method: .get, path: "/user"))
/// ```
public enum NetworkManager {
    private static let current = Locked(NetworkClient.Configuration())

    /// The current settings as a ``NetworkConfiguration``.
    public static var configuration: NetworkConfiguration { NetworkConfiguration(clientConfiguration) }

    /// The current settings.
    public static var clientConfiguration: NetworkClient.Configuration { current.withLock { $0 } }

    /// The current provider of credentials: the default of client initialisers. It is for the configured base URL, and a client with another
    /// environment does not use it.
    public static var authenticationProvider: any AuthenticationProvider {
        ConfiguredAuthenticationProvider(base: clientConfiguration.authenticationProvider)
    }

    /// Sets the configuration that clients start from.
    public static func configure(_ configuration: NetworkClient.Configuration) {
        current.withLock { $0 = configuration }
    }

    /// Sets the configuration that clients start from. Settings that ``NetworkConfiguration`` lacks get their defaults.
    public static func configure(with configuration: NetworkConfiguration) {
        configure(configuration.client)
    }

    /// Sets the configuration that clients start from: see ``NetworkConfiguration/init(baseURL:retryPolicy:authProvider:urlSessionConfiguration:decoder:encoder:cache:cachePolicy:timeoutInterval:)``.
    @_disfavoredOverload
    public static func configure(
        baseURL: URL? = nil,
        retryPolicy: RetryPolicy = .default,
        authProvider: (any AuthenticationProvider)? = nil,
        urlSessionConfiguration: URLSessionConfiguration = .default,
        decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601,
        cache: (any HTTPCaching)? = nil,
        cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil
    ) {
        configure(
            with: NetworkConfiguration(
                baseURL: baseURL, retryPolicy: retryPolicy, authProvider: authProvider,
                urlSessionConfiguration: urlSessionConfiguration, decoder: decoder, encoder: encoder, cache: cache,
                cachePolicy: cachePolicy, timeoutInterval: timeoutInterval))
    }
}

/// The settings of ``NetworkManager/configure(with:)``: base URL, retries, credentials, session settings, coders and cache.
///
/// ``NetworkClient/Configuration`` has all settings.
public struct NetworkConfiguration: Sendable {
    package var client: NetworkClient.Configuration

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - baseURL: the URL that paths are added to; nil if requests have complete URLs.
    ///   - retryPolicy: the retries of failed requests: by default three, see ``RetryPolicy/default``.
    ///   - authProvider: adds credentials to requests to the base URL; nil for none.
    ///   - urlSessionConfiguration: the settings of the transport as Foundation's type, read now. [Transports](doc:/Guides/Transports) lists the supported
    ///     ones; ``transport`` has more. A `urlCache` of your own needs the module `Networking`.
    ///   - decoder: decodes responses; by default JSON with ISO 8601 dates.
    ///   - encoder: encodes requests; by default JSON with ISO 8601 dates.
    ///   - cache: the cache: `.shared`, or `ResponseCache(maxEntries: 100)`; nil for none.
    ///   - cachePolicy: Foundation's cache policy; nil for that of `urlSessionConfiguration`.
    ///   - timeoutInterval: the longest time without any byte, in seconds; nil for 60.
    @_disfavoredOverload
    public init(
        baseURL: URL? = nil,
        retryPolicy: RetryPolicy = .default,
        authProvider: (any AuthenticationProvider)? = nil,
        urlSessionConfiguration: URLSessionConfiguration = .default,
        decoder: any BodyDecoder = .iso8601,
        encoder: any BodyEncoder = .iso8601,
        cache: (any HTTPCaching)? = nil,
        cachePolicy: URLRequest.CachePolicy? = nil,
        timeoutInterval: TimeInterval? = nil
    ) {
        self.init(
            baseURL, retryPolicy, authProvider, decoder, encoder, cache, cachePolicy, timeoutInterval
        ) { $0.setTransport(mapping: urlSessionConfiguration) }
    }

    /// - Parameter mapping: takes the settings of a `URLSessionConfiguration`.
    package init(
        _ baseURL: URL?, _ retryPolicy: RetryPolicy, _ authProvider: (any AuthenticationProvider)?,
        _ decoder: any BodyDecoder, _ encoder: any BodyEncoder, _ cache: (any HTTPCaching)?,
        _ cachePolicy: URLRequest.CachePolicy?, _ timeoutInterval: TimeInterval?,
        mapping: (inout NetworkClient.Configuration) -> Void
    ) {
        client = NetworkClient.Configuration(baseURL: baseURL)
        client.retryPolicy = retryPolicy
        client.authenticationProvider = authProvider ?? NoAuthProvider()
        client.decoder = decoder
        client.encoder = encoder
        client.cache = cache
        client.timeoutInterval = timeoutInterval
        mapping(&client)
        if let cachePolicy { client.cachePolicy = cachePolicy }
    }

    init(_ client: NetworkClient.Configuration) {
        self.client = client
    }

    /// The URL that paths are added to; nil if requests have complete URLs.
    public var baseURL: URL? {
        get { client.baseURL }
        set { client.baseURL = newValue }
    }
    /// The retries of failed requests.
    public var retryPolicy: RetryPolicy {
        get { client.retryPolicy }
        set { client.retryPolicy = newValue }
    }
    /// Adds credentials to requests to ``baseURL``.
    public var authProvider: any AuthenticationProvider {
        get { client.authenticationProvider }
        set { client.authenticationProvider = newValue }
    }
    /// The settings of the transport; nil if the `URLSessionConfiguration` is unsupported: then every request fails with
    /// ``NetworkError/unsupported(_:)``, whose text says why.
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
    /// The cache; nil for none.
    public var cache: (any HTTPCaching)? {
        get { client.cache }
        set { client.cache = newValue }
    }
    /// Foundation's cache policy.
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
    /// Takes the transport's settings and the cache policy from a `URLSessionConfiguration`, or the error of an unsupported one.
    ///
    /// - Parameter takesCache: whether the caller takes over its `ownCache`.
    package mutating func setTransport(mapping session: URLSessionConfiguration, takesCache: Bool = false) {
        if session.requestCachePolicy != URLSessionConfiguration.default.requestCachePolicy {
            cachePolicy = session.requestCachePolicy
        }
        do throws(NetworkError) {
            transportConfiguration = try TransportConfiguration(
                mapping: session, apartFrom: takesCache ? [.requestCachePolicy, .urlCache] : [.requestCachePolicy])
        } catch {
            transportConfiguration = TransportConfiguration()
            refusal = error
        }
    }
}
