/// The facade: requests by completion handler, `async`, `throws`, or as a chain, with cache, logger and monitor in place
///.
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
/// `Networking` for each service and keep it. For settings that its initialisers do not name, give it a client:
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
    /// The engine beneath, for what the facade does not offer: contexts, other serialisers.
    public let client: NetworkClient
    /// Where ``RequestChain/cURLLog()`` writes.
    public let logger: NetworkLogger
    /// Knows the downloads that were started here.
    let downloader: Downloader

    /// A facade on a client: with its cache, its retries, its monitor and all its other settings.
    ///
    /// - Parameters:
    ///   - client: sends the requests. Several facades may share it.
    ///   - logger: writes the lines of ``RequestChain/cURLLog()``. To log every request, give the client a `LoggingInterceptor`.
    public init(client: NetworkClient, logger: NetworkLogger = NetworkLogger()) {
        self.client = client
        self.logger = logger
        downloader = Downloader(client: client, connectionMonitor: client.configuration.connectionMonitor)
    }

    /// A facade on a new client with these settings.
    ///
    /// - Parameters:
    ///   - configuration: every setting of the client.
    ///   - logger: logs every request and response. Nil logs none by itself; ``RequestChain/cURLLog()`` then uses a default one.
    public convenience init(configuration: NetworkClient.Configuration, logger: NetworkLogger? = nil) {
        self.init(
            client: NetworkClient(configuration: configuration.logging(to: logger)), logger: logger ?? NetworkLogger())
    }

    /// A facade with the platform's transport. What is left out is as ``NetworkManager`` was configured.
    ///
    /// - Parameters:
    ///   - configuration: of the transport; nil for that of ``NetworkManager``.
    ///   - interceptor: seen by every attempt; a ``RequestInterceptor`` adapts requests and decides on retries.
    ///   - cache: for requests with a ``CachePolicy``; in memory unless another is given. Nil for none.
    ///   - logger: logs every request and response. Nil logs none by itself; ``RequestChain/cURLLog()`` then uses a default one.
    ///   - connectionMonitor: a monitor that is given is asked before each request, and fails it at once while the device is offline. The
    ///     default is ``DefaultConnectionMonitor``. Nil for none.
    ///   - partition: names the user who is signed in, asked for each request: see ``RequestContext/identity``.
    public convenience init(
        configuration: TransportConfiguration? = nil,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = .configured,
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = .configured,
        partition: (@Sendable () -> String?)? = nil
    ) {
        self.init(
            configuration: .facade(interceptor, cache, connectionMonitor, partition) {
                if let configuration { $0.transportConfiguration = configuration }
            }, logger: logger)
    }

    /// A facade with the settings of a `URLSessionConfiguration`. The other parameters are those of
    /// ``init(configuration:interceptor:cache:logger:connectionMonitor:partition:)-(TransportConfiguration?,_,_,_,_,_)``.
    ///
    /// The configuration is read now. What cannot be taken over is refused with ``NetworkError/unsupported(_:)`` when something
    /// is sent; `Docs/Transports.md` has the table.
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
                $0.setTransport(mapping: configuration)
            }, logger: logger)
    }

    /// A facade on any transport: a mock, or one of your own. It has no connection monitor unless one is given: a mock is reached without
    /// a network.
    public convenience init(
        transport: any HTTPTransport,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = .configured,
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = nil,
        partition: (@Sendable () -> String?)? = nil,
        clock: (any NetworkClock)? = nil
    ) {
        self.init(
            configuration: .facade(interceptor, cache, connectionMonitor, partition) {
                $0.transport = transport
                if let clock { $0.clock = clock }
            }, logger: logger)
    }

    /// A facade that sends through a `URLSession` of yours.
    ///
    /// A session without a delegate is rebuilt from its configuration. One with a delegate of its own is used as it is on
    /// Apple's systems; on Linux, where its delegate would take the place of ours, requests fail with
    /// ``NetworkError/unsupported(_:)``.
    public convenience init(
        session: URLSession,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = .configured,
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = .configured,
        partition: (@Sendable () -> String?)? = nil
    ) {
        self.init(
            transport: SessionTransport(session), interceptor: interceptor, cache: cache, logger: logger,
            connectionMonitor: connectionMonitor, partition: partition)
    }

    /// A facade whose `URLSession` a provider supplies.
    ///
    /// ``DefaultSessionProvider`` with the default configuration stands for the platform's own transport, which on Linux is
    /// several times faster than `URLSession`, and ``PinnedSessionProvider`` for that transport with its policy; the session of any other provider is used as in ``init(session:interceptor:cache:logger:connectionMonitor:partition:)``.
    public convenience init(
        sessionProvider: any URLSessionProviding,
        interceptor: (any HTTPInterceptor)? = nil,
        cache: (any ResponseCaching)? = .configured,
        logger: NetworkLogger? = nil,
        connectionMonitor: (any ConnectionMonitoring)? = .configured,
        partition: (@Sendable () -> String?)? = nil
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

    /// The store that requests with a ``CachePolicy`` use; nil if there is none, or if the client's cache is another kind.
    public var cache: (any ResponseCaching)? {
        (client.configuration.cache as? CachePolicyInterceptor)?.cache
    }

    /// Says whether the device is online; nil if the client has no monitor.
    public var connectionMonitor: (any ConnectionMonitoring)? { client.configuration.connectionMonitor }

    /// Ends its life: see ``NetworkClient/shutdown(_:)``.
    public func shutdown(_ mode: NetworkClient.ShutdownMode = .drain) async {
        await client.shutdown(mode)
    }
}
