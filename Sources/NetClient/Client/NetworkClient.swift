/// The engine: takes a request through the interceptors to the transport, and its response back.
///
/// Make one for each service and keep it: it holds the connections. All its methods may be called from anywhere, at the same
/// time.
///
/// ```swift
/// let client = NetworkClient()
/// let (data, response) = try await client.data(for: URLRequest(url: url))
/// ```
///
/// ## Order of the pipeline
///
/// First is outermost. Once per call: `callInterceptors`, redirects, cache, offline guard, coalescing, retry. Once per attempt:
/// hedging, circuit breaker, rate and concurrency limits, authentication, `interceptors` in the order given, then the transport.
/// `Docs/Architecture.md` follows a request through the files.
public final class NetworkClient: Sendable {
    /// Decodes the bodies of responses.
    public let decoder: any BodyDecoder
    /// Encodes the bodies of requests.
    public let encoder: any BodyEncoder
    /// Where time comes from.
    public let clock: any NetworkClock
    /// The most bytes that are collected of a response. Larger ones fail with ``NetworkError/responseTooLarge(limit:)``; read
    /// them as a stream.
    public let maximumBodySize: Int

    /// Where endpoints and paths live; nil if requests have to say so themselves.
    public let environment: (any NetworkEnvironment)?

    /// For requests that say nothing of it.
    let timeoutInterval: TimeInterval?
    private let totalTimeout: TimeInterval?
    let foundationCachePolicy: URLRequest.CachePolicy
    private let credentials: ClientCredentials
    let chain: InterceptorChain
    private let hasCache: Bool
    private let gate = CallGate()

    /// A client.
    ///
    /// What is left out is as ``NetworkManager`` was configured, or else the default that is named here.
    ///
    /// - Parameters:
    ///   - environment: the base URL and what goes with every request to it; nil for the one that ``NetworkManager`` has.
    ///   - interceptors: seen by every attempt, in this order, innermost.
    ///   - retryPolicy: when a failed request is sent again; by default it is not.
    ///   - decoder: for the bodies of responses; plain JSON unless given.
    ///   - encoder: for the bodies of requests; plain JSON unless given.
    ///   - transport: does the input and output.
    ///   - authenticationProvider: gives requests their credentials. That of ``NetworkManager`` is for its own base URL, and is not
    ///     used by a client that is given an environment.
    ///   - callInterceptors: seen once by every call, outermost.
    ///   - redirectPolicy: which redirects are followed.
    ///   - resilience: circuit breaker, limits, coalescing, hedging; none of them unless given.
    ///   - connectionMonitor: says whether the device is offline; nil never does.
    ///   - maximumBodySize: the most bytes collected of a response; 64 MiB unless set.
    ///   - clock: for retry, deadlines and timestamps.
    ///   - random: gives numbers from 0 to 1 for jitter; set it in tests.
    public convenience init(
        environment: (any NetworkEnvironment)? = nil,
        interceptors: [any HTTPInterceptor] = [],
        retryPolicy: RetryPolicy = NetworkManager.configuration.retryPolicy,
        decoder: any BodyDecoder = NetworkManager.configuration.decoder,
        encoder: any BodyEncoder = NetworkManager.configuration.encoder,
        transport: any HTTPTransport = .configured,
        authenticationProvider: any AuthenticationProvider = .configured,
        callInterceptors: [any HTTPInterceptor] = [],
        redirectPolicy: RedirectPolicy = .default,
        resilience: Resilience = .none,
        connectionMonitor: (any ConnectionMonitoring)? = nil,
        maximumBodySize: Int = 64 << 20,
        clock: any NetworkClock = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.init(
            seats: Seats(
                callInterceptors: callInterceptors, redirectPolicy: redirectPolicy,
                cache: NetworkManager.configuration.cache, connectionMonitor: connectionMonitor,
                retryPolicy: retryPolicy, resilience: resilience,
                authenticationProvider: authenticationProvider.resolved(isConfigured: environment == nil),
                interceptors: interceptors, transport: transport, random: random),
            environment: environment ?? NetworkManager.configuration.environment, decoder: decoder,
            encoder: encoder, maximumBodySize: maximumBodySize, clock: clock)
    }

    /// A client with a cache of its own, which answers requests from what is stored: `.shared`, or `ResponseCache(maxEntries: 100)`.
    /// The other parameters are those of the initialiser without one.
    public convenience init(
        environment: (any NetworkEnvironment)? = nil,
        interceptors: [any HTTPInterceptor] = [],
        retryPolicy: RetryPolicy = NetworkManager.configuration.retryPolicy,
        cache: any HTTPCaching,
        decoder: any BodyDecoder = NetworkManager.configuration.decoder,
        encoder: any BodyEncoder = NetworkManager.configuration.encoder,
        transport: any HTTPTransport = .configured,
        authenticationProvider: any AuthenticationProvider = .configured,
        callInterceptors: [any HTTPInterceptor] = [],
        redirectPolicy: RedirectPolicy = .default,
        resilience: Resilience = .none,
        connectionMonitor: (any ConnectionMonitoring)? = nil,
        maximumBodySize: Int = 64 << 20,
        clock: any NetworkClock = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.init(
            seats: Seats(
                callInterceptors: callInterceptors, redirectPolicy: redirectPolicy, cache: cache,
                connectionMonitor: connectionMonitor, retryPolicy: retryPolicy, resilience: resilience,
                authenticationProvider: authenticationProvider, interceptors: interceptors, transport: transport,
                random: random),
            environment: environment ?? NetworkManager.configuration.environment, decoder: decoder,
            encoder: encoder, maximumBodySize: maximumBodySize, clock: clock)
    }

    package init(
        seats: Seats, environment: (any NetworkEnvironment)?, decoder: any BodyDecoder, encoder: any BodyEncoder,
        maximumBodySize: Int, clock: any NetworkClock
    ) {
        let configuration = NetworkManager.configuration
        self.environment = environment
        self.decoder = decoder
        self.encoder = encoder
        self.clock = clock
        self.maximumBodySize = maximumBodySize
        timeoutInterval = configuration.timeoutInterval
        foundationCachePolicy = configuration.cachePolicy
        totalTimeout = seats.resilience.totalTimeout
        hasCache = seats.cache != nil
        credentials = seats.credentials
        chain = seats.chain(gate: gate)
    }

    /// Sends a request through the pipeline and gives the response as it comes: any status, the body to be read.
    ///
    /// Reading the body throws ``NetworkFailure`` as well, or `CancellationError`.
    ///
    /// - Parameters:
    ///   - request: its `httpBody` or `httpBodyStream` is the body, unless `body` is given.
    ///   - body: what to send.
    ///   - context: goes along; nil makes a new one.
    /// - Throws: a failure: see ``NetworkError`` for what can go wrong. A status is none.
    public func send(
        _ request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> TransportResponse {
        do {
            return try await perform(request, body: body, context: context, isCollected: false)
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
        }
    }

    /// Sends a request and collects the body: any status.
    ///
    /// - Throws: a failure, ``NetworkError/responseTooLarge(limit:)`` among them. A status is none.
    public func response(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> TransportResponse {
        do {
            return try await perform(request, body: body, context: context, isCollected: true)
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
        }
    }

    /// Sends a request and gives the bytes of its response, if it is accepted: by default, if the status is 200 to 299. See
    /// ``ResponseValidation``.
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

    /// Sends a request and turns the body of its response into a value, if it is accepted as in ``data(for:body:context:)``.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - body: its body; nil takes that of the request.
    ///   - context: goes along with the call; nil makes a new one.
    ///   - serializer: makes the value.
    /// - Throws: a failure; ``NetworkError/decodingError(_:)`` for what the serialiser throws.
    #if compiler(>=6.2)
        @concurrent
    #endif
    public func value<Serializer: ResponseSerializer>(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil, serializer: Serializer
    ) async throws(NetworkFailure) -> Serializer.Value {
        let (data, response) = try await data(for: request, body: body, context: context)
        do {
            return try serializer.serialize(data, response: response)
        } catch {
            throw NetworkFailure(serializing: error, response: response, data: data, timestamp: clock.now)
        }
    }

    /// Sends a request and decodes the body of its response (seed 004).
    ///
    /// - Throws: a failure; ``NetworkError/noData`` and ``NetworkError/decodingError(_:)`` among them.
    public func execute<Value: Decodable & Sendable>(_ request: URLRequest) async throws(NetworkFailure) -> Value {
        try await value(for: request, serializer: DecodableSerializer(Value.self, decoder: decoder))
    }

    /// Ends the client's life. Calls made afterwards fail with ``NetworkError/unsupported(_:)``; twice is fine.
    ///
    /// The transport is closed with it: give two clients two transports, or shut down neither of them. Without a shutdown the
    /// client ends by itself when it is released and its last call is done.
    ///
    /// - Parameter mode: what becomes of the calls in flight.
    public func shutdown(_ mode: ShutdownMode = .drain) async {
        gate.close(cancelling: mode == .cancel)
        if mode == .drain { await gate.waitUntilEmpty() }
        await (chain.transport as? any ClosableTransport)?.shutdown()
        await gate.waitUntilEmpty()
    }

    /// What becomes of the calls in flight at a shutdown.
    public enum ShutdownMode: Sendable {
        /// They run to their end. A body that is read as a stream is not waited for.
        case drain
        /// They fail with ``NetworkError/cancelled``: those that the transport is sending (if it is a ``ClosableTransport``),
        /// and those that wait for a retry. One that waits in an interceptor goes on to its next step first.
        case cancel
    }

    /// Off the caller's actor, and all that is further in stays where this is.
    ///
    /// - Parameter detour: the pipeline to take in place of the client's own.
    #if compiler(>=6.2)
        @concurrent
    #endif
    func perform(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext?, isCollected: Bool,
        through detour: InterceptorChain? = nil
    ) async throws -> TransportResponse {
        guard gate.enter() else {
            throw NetworkError.unsupported("This client was shut down. Make a new one.")
        }
        defer { gate.leave() }
        var context = context ?? RequestContext(clock: clock)
        // One that was made elsewhere does not know the client's.
        context.clock = clock
        if !hasCache { try CacheAbsence.refuse(context.cachePolicy) }
        if isCollected, context.delivery == .streamed { context.delivery = .collected(limit: maximumBodySize) }
        var request = request
        let body = try request.lower(or: body)
        context.origin = context.origin ?? request.url
        credentials.apply(to: &context, request: request, environment: environment)
        if context.deadline == nil, let totalTimeout { context.deadline = clock.uptime + totalTimeout }
        guard context.deadline != nil else {
            return try await exchange(
                request, body: body, context: context, isCollected: isCollected, through: detour ?? chain)
        }
        return try await RetryDeadline.run(context, request) { [request] context in
            try await self.exchange(
                request, body: body, context: context, isCollected: isCollected, through: detour ?? self.chain)
        }
    }

    private func exchange(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext, isCollected: Bool,
        through chain: InterceptorChain
    ) async throws -> TransportResponse {
        var response = try await Next(chain: chain, body: body, context: context)(request)
        if isCollected, case .collected(let limit) = context.delivery {
            response.body = try await collectedBody(of: response, upTo: limit)
        } else {
            response.body = response.body.mappingErrors { [clock, response] error in
                NetworkFailure(reading: response, error: error, timestamp: clock.now)
            }
        }
        return response
    }

    /// The hint of ``RequestContext/delivery`` binds nobody: here the limit does.
    private func collectedBody(of response: TransportResponse, upTo limit: Int) async throws -> HTTPBody {
        do {
            return HTTPBody(try await response.body.collect(upTo: limit))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw NetworkFailure(reading: response, error: error, timestamp: clock.now)
        }
    }
}

extension NetworkFailure {
    /// What went wrong while the body of a response was read, with the request that it answers.
    init(reading response: TransportResponse, error: any Error, timestamp: Date) {
        self.init(
            wrapping: error, request: response.request,
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
            timestamp: timestamp, retryAttempt: response.attempt)
    }
}
