/// The facade: requests by completion handler, `async`, `throws`, or as a chain, with cache, logger and monitor in place
/// (seed 000).
///
/// ```swift
/// let networking = Networking()
/// let user: User = try await networking.request(url: url)                                // throws a NetworkError
/// let response: NetworkResponse<User> = await networking.request(RequestConfig(url: url)) // never throws
/// networking.request(url: url) { (response: NetworkResponse<User>) in show(response) }    // on the main actor
/// networking.request(url: url).responseDecodable(of: User.self) { response in show(response) }
/// ```
///
/// All four go the same way, through one ``NetworkClient`` (``client``), so one can be exchanged for another. Make one
/// `Networking` for each service and keep it.
///
/// - Note: The class has the module's name, so `Networking.HTTPMethod` does not name the type; write `NetCore.HTTPMethod`.
public final class Networking: Sendable {
    /// The engine beneath, for what the facade does not offer: streams, contexts, other serialisers.
    public let client: NetworkClient
    /// Where ``RequestChain/cURLLog()`` writes.
    public let logger: NetworkLogger
    /// The store that requests with a ``CachePolicy`` use; nil if there is none.
    public let cache: (any ResponseCaching)?
    /// Says whether the device is online; nil if nobody does.
    public let connectionMonitor: (any ConnectionMonitoring)?
    /// Knows the downloads that were started here.
    let downloader: Downloader
    /// Names the user whose credentials go with the requests: see ``RequestContext/partition``.
    let partition: @Sendable () -> String?

    /// A facade with the platform's transport.
    ///
    /// - Parameters:
    ///   - configuration: of the transport.
    ///   - interceptor: seen by every attempt; a ``RequestInterceptor`` adapts requests and decides on retries.
    ///   - cache: for requests with a ``CachePolicy``; in memory unless another is given. Nil for none.
    ///   - logger: logs every request and response. Nil logs none by itself; ``RequestChain/cURLLog()`` then uses a default one.
    ///   - connectionMonitor: fails requests at once while the device is offline; the process's own unless another is given. Nil for none.
    ///   - partition: names the user who is signed in, asked for each request; the cache keeps users apart by it. Without it,
    ///     responses to requests that carried credentials of an interceptor or cookies of the transport are not stored.
    public convenience init(
        configuration: TransportConfiguration = TransportConfiguration(),
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = NetworkCache(),
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = ConnectionMonitor.shared,
        partition: @escaping @Sendable () -> String? = { nil }
    ) {
        self.init(
            transport: .platform(configuration), interceptor: interceptor, cache: cache, logger: logger,
            connectionMonitor: connectionMonitor, partition: partition)
    }

    /// A facade with the settings of a `URLSessionConfiguration` (seed 000). The other parameters are those of
    /// ``init(configuration:interceptor:cache:logger:connectionMonitor:partition:)-(TransportConfiguration,_,_,_,_,_)``.
    ///
    /// The configuration is read now. What cannot be taken over is refused with ``NetworkError/unsupported(_:)`` when something
    /// is sent; `Docs/Transports.md` has the table.
    @_disfavoredOverload
    public convenience init(
        configuration: URLSessionConfiguration,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = NetworkCache(),
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = ConnectionMonitor.shared,
        partition: @escaping @Sendable () -> String? = { nil }
    ) {
        self.init(
            transport: .platform(configuration), interceptor: interceptor, cache: cache, logger: logger,
            connectionMonitor: connectionMonitor, partition: partition)
    }

    /// A facade on any transport: a mock, or one of your own. It has no connection monitor unless one is given: a mock is reached without
    /// a network.
    public init(
        transport: any HTTPTransport,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = NetworkCache(),
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = nil,
        partition: @escaping @Sendable () -> String? = { nil },
        clock: any NetworkClock = .system
    ) {
        self.cache = cache
        self.logger = logger ?? NetworkLogger()
        self.connectionMonitor = connectionMonitor
        self.partition = partition
        client = NetworkClient(
            seats: Seats(
                callInterceptors: logger.map { [LoggingInterceptor(level: .minimal, logger: $0)] } ?? [],
                cache: cache.map { CachePolicyInterceptor(cache: $0) },
                connectionMonitor: connectionMonitor,
                retryPolicy: NetworkManager.configuration.retryPolicy,
                interceptors: interceptor.map { [$0] } ?? [],
                transport: transport),
            environment: nil, decoder: NetworkManager.configuration.decoder,
            encoder: NetworkManager.configuration.encoder, maximumBodySize: 64 << 20, clock: clock)
        downloader = Downloader(client: client, connectionMonitor: connectionMonitor, partition: partition)
    }

    /// A facade that sends through a `URLSession` of yours.
    ///
    /// A session without a delegate is rebuilt from its configuration. One with a delegate of its own is used as it is on
    /// Apple's systems; on Linux, where its delegate would take the place of ours, requests fail with
    /// ``NetworkError/unsupported(_:)``.
    public convenience init(
        session: URLSession,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = NetworkCache(),
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = ConnectionMonitor.shared,
        partition: @escaping @Sendable () -> String? = { nil }
    ) {
        self.init(
            transport: SessionTransport(session), interceptor: interceptor, cache: cache, logger: logger,
            connectionMonitor: connectionMonitor, partition: partition)
    }

    /// A facade whose `URLSession` a provider supplies (seed 000).
    ///
    /// ``DefaultSessionProvider`` with the default configuration stands for the platform's own transport, which on Linux is
    /// several times faster than `URLSession`, and ``PinnedSessionProvider`` for that transport with its policy; the session of any other provider is used as in ``init(session:interceptor:cache:logger:connectionMonitor:partition:)``.
    public convenience init(
        sessionProvider: any URLSessionProviding,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = NetworkCache(),
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = ConnectionMonitor.shared,
        partition: @escaping @Sendable () -> String? = { nil }
    ) {
        let transport: any HTTPTransport =
            switch sessionProvider {
            case let provider as DefaultSessionProvider where provider.usesDefaults: .platform
            case let provider as PinnedSessionProvider: .platform(provider.configuration)
            default: SessionTransport(sessionProvider.session)
            }
        self.init(
            transport: transport,
            interceptor: interceptor, cache: cache, logger: logger, connectionMonitor: connectionMonitor,
            partition: partition)
    }

    /// Ends its life: see ``NetworkClient/shutdown(_:)``.
    public func shutdown(_ mode: NetworkClient.ShutdownMode = .drain) async {
        await client.shutdown(mode)
    }
}
