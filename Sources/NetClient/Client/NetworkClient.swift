/// Sends requests through interceptors to a transport.
///
/// Make one client for each service and keep it: it holds the connections. Its methods are thread-safe.
///
/// ```swift
/// let client = NetworkClient(baseURL: URL(string: "https://api.example.com")!)
/// let (data, response) = try await client.data(for: URLRequest(url: url))
/// ```
///
/// ## Order of the pipeline
///
/// First is outermost. Once per call: `callInterceptors`, redirects. Once per hop: preparation, cache, offline guard, coalescing, retry.
/// Once per attempt: hedging, circuit breaker, rate and concurrency limits, `interceptors` in the order given, signers and answers to
/// challenges, then the transport. [Architecture](doc:/Guides/Architecture) has a picture of it.
public final class NetworkClient: Sendable {
    /// The settings of the client, as they were when it was made.
    public let configuration: Configuration
    let resources: ClientResources
    package let chain: InterceptorChain
    let preparer: RequestPreparer
    package let calls = InFlightCalls()

    /// Creates a client.
    public convenience init(configuration: Configuration) { self.init(configuration, sharing: nil) }

    /// Creates a client for one base URL, with ``NetworkManager``'s other settings.
    ///
    /// - Parameters:
    ///   - baseURL: the URL that paths are added to.
    ///   - interceptors: the interceptors that run for each attempt, in this order.
    ///   - retryPolicy: the retries of failed requests; by default none.
    ///   - cache: the cache: `.shared`, or `ResponseCache(maxEntries: 100)`. Nil for none.
    ///   - decoder: decodes the bodies of responses; by default plain JSON.
    ///   - encoder: encodes the bodies of requests; by default plain JSON.
    ///   - authenticationProvider: adds credentials to requests to the base URL.
    public convenience init(
        baseURL: URL, interceptors: [any HTTPInterceptor] = NetworkManager.clientConfiguration.interceptors,
        retryPolicy: RetryPolicy = NetworkManager.clientConfiguration.retryPolicy,
        cache: (any HTTPCaching)? = NetworkManager.clientConfiguration.cache,
        decoder: any BodyDecoder = NetworkManager.clientConfiguration.decoder,
        encoder: any BodyEncoder = NetworkManager.clientConfiguration.encoder,
        authenticationProvider: any AuthenticationProvider = NetworkManager.authenticationProvider
    ) {
        self.init(
            environment: BaseURLEnvironment(baseURL: baseURL), interceptors: interceptors, retryPolicy: retryPolicy,
            cache: cache, decoder: decoder, encoder: encoder, authenticationProvider: authenticationProvider)
    }

    /// Creates a client. The defaults are ``NetworkManager``'s settings, or else those of ``Configuration``.
    ///
    /// - Parameters:
    ///   - environment: the base URL, with default header fields and timeout; nil for ``NetworkManager``'s.
    ///   - interceptors: the interceptors that run for each attempt: the innermost ones, in this order.
    ///   - retryPolicy: the retries of failed requests; by default none.
    ///   - cache: the cache: `.shared`, or `ResponseCache(maxEntries: 100)`. Nil for none.
    ///   - decoder: decodes the bodies of responses; by default plain JSON.
    ///   - encoder: encodes the bodies of requests; by default plain JSON.
    ///   - transport: the transport; nil for the platform's with ``NetworkManager``'s settings.
    ///   - authenticationProvider: adds credentials to requests. ``NetworkManager``'s provider is for its own base URL: a client with an
    ///     environment does not use it.
    ///   - callInterceptors: the interceptors that run once per call: the outermost ones.
    ///   - redirectPolicy: the redirects to follow.
    ///   - resilience: circuit breaker, limits, coalescing and hedging; by default none of them.
    ///   - connectionMonitor: tells whether the device is offline; nil sends requests in any case.
    ///   - maximumBodySize: the most bytes that are collected of a response; by default 64 MiB.
    ///   - clock: the clock for retries, deadlines and timestamps.
    ///   - random: returns a number from 0 to 1 for jitter; set it in tests.
    public convenience init(
        environment: (any NetworkEnvironment)? = nil,
        interceptors: [any HTTPInterceptor] = NetworkManager.clientConfiguration.interceptors,
        retryPolicy: RetryPolicy = NetworkManager.clientConfiguration.retryPolicy,
        cache: (any HTTPCaching)? = NetworkManager.clientConfiguration.cache,
        decoder: any BodyDecoder = NetworkManager.clientConfiguration.decoder,
        encoder: any BodyEncoder = NetworkManager.clientConfiguration.encoder, transport: (any HTTPTransport)? = nil,
        authenticationProvider: any AuthenticationProvider = NetworkManager.authenticationProvider,
        callInterceptors: [any HTTPInterceptor] = NetworkManager.clientConfiguration.callInterceptors,
        redirectPolicy: RedirectPolicy = NetworkManager.clientConfiguration.redirectPolicy,
        resilience: Resilience = NetworkManager.clientConfiguration.resilience,
        connectionMonitor: (any ConnectionMonitoring)? = NetworkManager.clientConfiguration.connectionMonitor,
        maximumBodySize: Int = NetworkManager.clientConfiguration.maximumBodySize,
        clock: any NetworkClock = NetworkManager.clientConfiguration.clock,
        random: @escaping @Sendable () -> Double = NetworkManager.clientConfiguration.random
    ) {
        var configuration = NetworkManager.clientConfiguration
        if let environment { configuration.environment = environment }
        if !(authenticationProvider is ConfiguredAuthenticationProvider) {
            configuration.authenticationProvider = authenticationProvider
        } else if environment != nil {
            // The credentials of ``NetworkManager`` are for its own base URL.
            configuration.authenticationProvider = .none
        }
        configuration.interceptors = interceptors
        configuration.retryPolicy = retryPolicy
        configuration.cache = cache
        configuration.decoder = decoder
        configuration.encoder = encoder
        if let transport { configuration.transport = transport }
        configuration.callInterceptors = callInterceptors
        configuration.redirectPolicy = redirectPolicy
        configuration.resilience = resilience
        configuration.connectionMonitor = connectionMonitor
        configuration.maximumBodySize = maximumBodySize
        configuration.clock = clock
        configuration.random = random
        self.init(configuration: configuration)
    }

    /// Returns a client with changed settings. It shares the resources of unchanged settings with this one: transport and connections, cookies,
    /// cache, circuit breaker, limits, and refreshes of credentials.
    ///
    /// ```swift
    /// let slowClient = client.with { $0.timeoutInterval = 120 }
    /// ```
    ///
    /// A shared transport closes with the last client that uses it. ``shutdown(_:)`` ends the calls of one client only.
    ///
    /// - Parameter change: changes a copy of this client's ``configuration``.
    public func with(_ change: (inout Configuration) throws -> Void) rethrows -> NetworkClient {
        var configuration = configuration
        try change(&configuration)
        return NetworkClient(configuration, sharing: self)
    }

    private init(_ configuration: Configuration, sharing parent: NetworkClient?) {
        self.configuration = configuration
        resources = ClientResources(configuration, sharing: parent)
        resources.transport.join(ObjectIdentifier(calls))
        let pipeline = PipelineBuilder(configuration, resources)
        preparer = pipeline.preparer
        chain = pipeline.chain(calls: calls)
    }

    deinit { resources.transport.leave(ObjectIdentifier(calls)) }

    /// The base URL of endpoints and paths, with default header fields and timeout; nil if requests have complete URLs.
    public var environment: (any NetworkEnvironment)? { configuration.environment }
    /// Decodes the bodies of responses.
    public var decoder: any BodyDecoder { configuration.decoder }
    /// Encodes the bodies of requests.
    public var encoder: any BodyEncoder { configuration.encoder }
    /// The conventions of queries and forms: see ``Configuration/queryEncoding``.
    public var queryEncoding: QueryEncoding { configuration.queryEncoding }
    /// The clock of retries, deadlines and timestamps.
    public var clock: any NetworkClock { configuration.clock }
    /// The most bytes that are collected of a response: see ``Configuration/maximumBodySize``.
    public var maximumBodySize: Int { configuration.maximumBodySize }
    package var credentialFields: CredentialFields { preparer.fields }
    /// The client's cookie store; nil if it has none.
    public var cookies: CookieStore? { resources.cookies }

    /// Sends a request and returns the response when its head arrives, whatever its status. The body is a stream.
    ///
    /// Reading the body throws ``NetworkFailure`` too, or `CancellationError`.
    ///
    /// - Parameters:
    ///   - request: the request. Its `httpBody` or `httpBodyStream` is the body, unless `body` is given.
    ///   - body: the body; nil for that of the request.
    ///   - context: the context of the call; nil for a new one.
    /// - Throws: a failure, see ``NetworkError``. No status is an error.
    public func send(
        _ request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> TransportResponse {
        try await perform(request, body: body, context: context, isCollected: false)
    }

    /// Sends a request and returns the response with its body collected, whatever its status.
    ///
    /// - Throws: a failure, such as ``NetworkError/responseTooLarge(limit:)``. No status is an error.
    public func response(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> TransportResponse {
        try await perform(request, body: body, context: context, isCollected: true)
    }

    /// Sends a request and returns the bytes of an accepted response: by default, one with a status from 200 to 299. See ``ResponseValidation``.
    ///
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for another status.
    public func data(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> (data: Data, response: TransportResponse) {
        let response = try await response(for: request, body: body, context: context)
        let data = response.body.data ?? Data()
        try response.validate(data: data, by: context?.validation, timestamp: clock.now)
        return (data, response)
    }

    /// Sends a request that upgrades its connection to another protocol.
    ///
    /// It goes through redirects, preparation, offline guard, retry, breaker, limits and the user's interceptors, and not through cache,
    /// coalescing and hedging, since a connection has one owner.
    ///
    /// - Returns: the response, whatever its status. With 101 it has the connection, ``TransportResponse/PipelineState/upgraded``.
    /// - Throws: a failure; ``NetworkError/unsupported(_:)`` if the transport cannot upgrade connections.
    package func upgrade(
        _ request: URLRequest, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> TransportResponse {
        try await perform(request, body: nil, context: context, isCollected: false, isUpgrade: true)
    }

    /// Shuts the client down. Later calls fail with ``NetworkError/unsupported(_:)``. A second shutdown can only add a cancellation to a drain.
    ///
    /// The last client that shares the transport (``with(_:)``) closes it. If a transport was given to two initialisers, either client closes it.
    /// Without a shutdown, the client's resources are freed when it is released and its last call has ended.
    ///
    /// - Parameter mode: the treatment of the calls in flight.
    public func shutdown(_ mode: ShutdownMode = .drain) async {
        calls.close(cancelling: mode == .cancel)
        if mode == .drain { await calls.waitUntilEmpty() }
        if resources.transport.leave(ObjectIdentifier(calls)) {
            await resources.transport.shutdown()
        } else {
            // Others go on using the transport.
            cancelAll()
        }
        await calls.waitUntilEmpty()
    }

    /// The treatment of the calls in flight at a shutdown.
    public enum ShutdownMode: Sendable {
        /// The calls run to their end. The shutdown does not wait for streamed bodies: they end with ``NetworkError/cancelled``.
        case drain
        /// The calls fail with ``NetworkError/cancelled``: calls that the transport is sending (if it implements ``HTTPTransport/shutdown()``), and
        /// calls that wait for a retry or a limit. A call that waits in another interceptor fails at its next step.
        case cancel
    }

    /// Cancels the calls of this client in flight, and keeps the client usable. They fail with ``NetworkError/cancelled``, and so do streams
    /// that are read and WebSockets. Calls of clients that are derived from it (``with(_:)``) go on.
    ///
    /// The wait for a retry or a limit ends. A call that waits in another interceptor fails at its next step, and so does one in a transport of
    /// your own.
    public func cancelAll() {
        calls.cancelAll()
        resources.transport.cancel(ObjectIdentifier(calls))
    }
}

extension NetworkClient: HTTPSending {
    /// The stable name of the user for whom a request would be sent now, from the client's provider or configuration; nil if there is none.
    public func ownerName(for request: URLRequest) -> String? {
        var context = RequestContext(clock: clock)
        context.origin = request.url
        return preparer.name(for: request, context)
    }
}
