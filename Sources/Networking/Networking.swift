@_exported public import NetCache
@_exported public import NetClient
@_exported public import NetCore
@_exported public import NetLogging
@_exported public import NetSecurity
@_exported public import NetTransfer
@_exported public import NetWebSocket

/// The facade: requests by completion handler, `async`, `throws`, or as a chain, with a cache, a logger and a connection monitor.
///
/// ```swift
/// let networking = Networking()
/// let user: User = try await networking.request(url: url)                                // throws a NetworkError
/// let response: NetworkResponse<User> = await networking.request(RequestConfig(url: url)) // never throws
/// networking.request(url: url) { (response: NetworkResponse<User>) in print(response) }    // on the main actor
/// networking.request(url: url).responseDecodable(of: User.self) { response in print(response) }
/// ```
///
/// All four use one ``NetworkClient`` (``client``), so they are interchangeable. Make one `Networking` for each service and keep it. For
/// settings that the other initialisers do not offer, use a configuration:
///
/// ```swift
/// var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://api.example.com"))
/// configuration.retryPolicy = .default
/// configuration.cache = ResponseCache()
/// let networking = Networking(configuration: configuration)
/// ```
///
/// - Note: The class has the module's name, so `Networking.HTTPMethod` does not name the type; write `NetCore.HTTPMethod`.
public final class Networking: Sendable {
    /// The client that sends the requests, for features that the facade does not offer: contexts, other serialisers.
    public let client: NetworkClient
    /// The logger of ``RequestChain/cURLLog()``.
    public let logger: NetworkLogger
    /// Keeps the downloads of this object.
    let downloader: Downloader

    /// Creates a facade over a client, with all its settings.
    ///
    /// - Parameters:
    ///   - client: sends the requests. Several facades may share it.
    ///   - logger: writes the lines of ``RequestChain/cURLLog()``. To log every request, give the client a `LoggingInterceptor`.
    public init(client: NetworkClient, logger: NetworkLogger = NetworkLogger()) {
        self.client = client
        self.logger = logger
        downloader = Downloader(client: client, connectionMonitor: client.configuration.connectionMonitor)
    }

    /// Creates a facade over a new client with these settings.
    ///
    /// - Parameters:
    ///   - configuration: every setting of the client.
    ///   - logger: logs every request and response. Nil logs none; ``RequestChain/cURLLog()`` then uses a default logger.
    public convenience init(configuration: NetworkClient.Configuration, logger: NetworkLogger? = nil) {
        var configuration = configuration
        let interceptor = logger.map { LoggingInterceptor(level: .minimal, logger: $0) }
        if let interceptor { configuration.callInterceptors.insert(interceptor, at: 0) }
        self.init(client: NetworkClient(configuration: configuration), logger: logger ?? NetworkLogger())
    }

    /// Creates a facade with the platform's transport. Omitted settings are those of ``NetworkManager``.
    ///
    /// - Parameters:
    ///   - configuration: the settings of the transport; nil for those of ``NetworkManager``.
    ///   - interceptor: intercepts every attempt. A ``RequestInterceptor`` adapts requests and decides about retries.
    ///   - cache: for requests with a ``CachePolicy``; in memory by default. Nil for none.
    ///   - logger: logs every request and response. Nil logs none; ``RequestChain/cURLLog()`` then uses a default logger.
    ///   - connectionMonitor: a monitor passed here fails requests at once while the device is offline. The default is
    ///     ``DefaultConnectionMonitor``. Nil for none.
    ///   - partition: returns the name of the signed-in user, for each request: see ``RequestContext/identity``.
    ///   - retryPolicy: the retries of failed requests; nil for those of ``NetworkManager``, which has none by default.
    public convenience init(
        configuration: TransportConfiguration? = nil, interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = .configured, logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = .configured, partition: (@Sendable () -> String?)? = nil,
        retryPolicy: RetryPolicy? = nil
    ) {
        self.init(
            configuration: .facade(interceptor, cache, connectionMonitor, partition) {
                if let configuration { $0.transportConfiguration = configuration }
                if let retryPolicy { $0.retryPolicy = retryPolicy }
            }, logger: logger)
    }

    /// Creates a facade with the settings of a `URLSessionConfiguration`. The other parameters are those of
    /// ``init(configuration:interceptor:cache:logger:connectionMonitor:partition:retryPolicy:)``.
    ///
    /// The configuration is read now. A `URLCache` of your own stores the responses (RFC 9111), unless `cache` is given, and its cache policy is
    /// the client's. If it contains a setting that is not supported, requests fail with ``NetworkError/unsupported(_:)``.
    /// [Transports](doc:/Guides/Transports) has the table.
    @_disfavoredOverload
    public convenience init(
        configuration: URLSessionConfiguration,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = .configured,
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = .configured,
        partition: (@Sendable () -> String?)? = nil
    ) {
        self.init(
            configuration: .facade(interceptor, cache, connectionMonitor, partition) {
                $0.setTransportAndCache(mapping: configuration, keepingCache: !(cache is ConfiguredResponseCache))
            }, logger: logger)
    }

    /// Creates a facade over any transport: a mock, or a custom one. It has no connection monitor by default, since a mock needs no network.
    public convenience init(
        transport: any HTTPTransport, interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = .configured, logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = nil, partition: (@Sendable () -> String?)? = nil,
        clock: (any NetworkClock)? = nil
    ) {
        self.init(
            configuration: .facade(interceptor, cache, connectionMonitor, partition) {
                $0.transport = transport
                if let clock { $0.clock = clock }
            }, logger: logger)
    }

    /// Creates a facade that sends with this `URLSession`.
    ///
    /// A session without a delegate is rebuilt from its configuration. A session with a delegate is used directly on Apple platforms,
    /// and its delegate answers the challenges: see `URLSessionTransport.init(session:)`.
    /// On Linux its delegate would replace the transport's, so requests fail with ``NetworkError/unsupported(_:)``.
    public convenience init(
        session: URLSession, interceptor: (any HTTPInterceptor)? = nil, cache: (any ResponseCaching)? = .configured,
        logger: NetworkLogger? = nil, connectionMonitor: (any ConnectionMonitoring)? = .configured,
        partition: (@Sendable () -> String?)? = nil
    ) {
        self.init(
            transport: .session(session), interceptor: interceptor, cache: cache, logger: logger,
            connectionMonitor: connectionMonitor, partition: partition)
    }

    /// Creates a facade whose `URLSession` a provider supplies.
    ///
    /// ``DefaultSessionProvider`` with the default configuration stands for the platform's own transport, which is several times faster
    /// than `URLSession` on Linux, and ``PinnedSessionProvider`` for that transport with its policy. The session of any other provider is
    /// used as in ``init(session:interceptor:cache:logger:connectionMonitor:partition:)``.
    public convenience init(
        sessionProvider: any URLSessionProviding, interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = .configured, logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = .configured, partition: (@Sendable () -> String?)? = nil
    ) {
        let transport: any HTTPTransport =
            switch sessionProvider {
            case let provider as DefaultSessionProvider where provider.usesDefaults: .platform
            case let provider as PinnedSessionProvider: .platform(provider.configuration)
            default: .session(sessionProvider.session)
            }
        self.init(
            transport: transport, interceptor: interceptor, cache: cache, logger: logger,
            connectionMonitor: connectionMonitor, partition: partition)
    }

    /// The cache for requests with a ``CachePolicy``; nil if there is none, or if the client's cache is of another kind.
    public var cache: (any ResponseCaching)? { (client.configuration.cache as? CachePolicyInterceptor)?.cache }

    /// Reports whether the device is online; nil if the client has no monitor.
    public var connectionMonitor: (any ConnectionMonitoring)? { client.configuration.connectionMonitor }

    /// Shuts the client down: see ``NetworkClient/shutdown(_:)``.
    public func shutdown(_ mode: NetworkClient.ShutdownMode = .drain) async { await client.shutdown(mode) }
}

extension Networking: RedactedReflectable { public var shownFields: KeyValuePairs<String, Any?> { ["client": client] } }

extension NetworkClient.Configuration {
    /// Returns the process's configuration with the facade's parameters: a cache for requests with a ``CachePolicy``, and a monitor.
    static func facade(
        _ interceptor: (any HTTPInterceptor)?, _ cache: (any ResponseCaching)?,
        _ monitor: (any ConnectionMonitoring)?, _ partition: (@Sendable () -> String?)?, _ change: (inout Self) -> Void
    ) -> Self {
        var configuration = NetworkManager.clientConfiguration
        if let interceptor { configuration.interceptors = [interceptor] }
        if !(cache is ConfiguredResponseCache) {
            configuration.cache = cache.map { CachePolicyInterceptor(cache: $0) }
        } else if configuration.cache == nil {
            configuration.cache = CachePolicyInterceptor(cache: NetworkCache())
        }
        if !(monitor is DefaultConnectionMonitor) || configuration.connectionMonitor == nil {
            configuration.connectionMonitor = monitor
        }
        if let partition { configuration.partition = partition }
        change(&configuration)
        return configuration
    }

    /// Takes the settings of a `URLSessionConfiguration`. Its own `URLCache` becomes the store of a `ResponseCache`.
    mutating func setTransportAndCache(mapping session: URLSessionConfiguration, keepingCache: Bool) {
        let own = keepingCache ? nil : session.ownCache
        setTransport(mapping: session, takesCache: own != nil)
        if let own { cache = ResponseCache(store: URLCacheStore(own)) }
    }
}

extension Optional<any ResponseCaching> {
    /// The cache of the ``NetworkManager``'s configuration, or else a new one in memory.
    public static var configured: (any ResponseCaching)? { ConfiguredResponseCache() }
}

/// Stands for the configured cache in default arguments. It is replaced before any request, so it stores nothing.
struct ConfiguredResponseCache: ResponseCaching {
    func setResponse(_ data: Data, for url: URL, expireTime: Date?) {}
    func getResponse(for url: URL) -> Data? { nil }
    func clear() {}
}

extension HTTPTransport where Self == URLSessionTransport {
    /// Sends with the caller's `URLSession`. If that is not supported, each request throws the reason, since the initialisers of
    /// `Networking` do not throw.
    static func session(_ session: URLSession) -> any HTTPTransport {
        do {
            return try URLSessionTransport(session: session)
        } catch {
            return PlatformTransport(settings: .failure(error), isPlatformDefault: false)
        }
    }
}
