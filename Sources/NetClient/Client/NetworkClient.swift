/// The engine: takes a request through the interceptors to the transport, and its response back.
///
/// Make one for each service and keep it: it holds the connections. All its methods may be called from anywhere, at the same
/// time.
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
/// challenges, then the transport. `Docs/Architecture.md` follows a request through the files.
public final class NetworkClient: Sendable {
    /// The settings of the client, as they were when it was made.
    public let configuration: Configuration
    let resources: ClientResources
    package let chain: InterceptorChain
    let preparer: RequestPreparer
    private let hasCache: Bool
    private let gate = CallGate()

    /// A client with these settings.
    public convenience init(configuration: Configuration) {
        self.init(configuration, sharing: nil)
    }

    /// A client for one base URL, otherwise with what ``NetworkManager`` was configured with.
    ///
    /// - Parameter baseURL: the URL that paths are added to.
    public convenience init(baseURL: URL) {
        self.init(environment: BaseURLEnvironment(baseURL: baseURL))
    }

    /// A client.
    ///
    /// What is left out is as ``NetworkManager`` was configured, or else the default of ``Configuration``.
    ///
    /// - Parameters:
    ///   - environment: the base URL and what goes with every request to it; nil for the one that ``NetworkManager`` has.
    ///   - interceptors: seen by every attempt, in this order, innermost.
    ///   - retryPolicy: when a failed request is sent again; by default it is not.
    ///   - cache: answers requests from stored responses: `.shared`, or `ResponseCache(maxEntries: 100)`. Nil for no cache.
    ///   - decoder: for the bodies of responses; plain JSON unless given.
    ///   - encoder: for the bodies of requests; plain JSON unless given.
    ///   - transport: does the input and output; nil for the platform's transport with the settings of ``NetworkManager``.
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
        interceptors: [any HTTPInterceptor] = NetworkManager.clientConfiguration.interceptors,
        retryPolicy: RetryPolicy = NetworkManager.clientConfiguration.retryPolicy,
        cache: (any HTTPCaching)? = NetworkManager.clientConfiguration.cache,
        decoder: any BodyDecoder = NetworkManager.clientConfiguration.decoder,
        encoder: any BodyEncoder = NetworkManager.clientConfiguration.encoder,
        transport: (any HTTPTransport)? = nil,
        authenticationProvider: any AuthenticationProvider = .configured,
        callInterceptors: [any HTTPInterceptor] = NetworkManager.clientConfiguration.callInterceptors,
        redirectPolicy: RedirectPolicy = NetworkManager.clientConfiguration.redirectPolicy,
        resilience: Resilience = NetworkManager.clientConfiguration.resilience,
        connectionMonitor: (any ConnectionMonitoring)? = NetworkManager.clientConfiguration.connectionMonitor,
        maximumBodySize: Int = NetworkManager.clientConfiguration.maximumBodySize,
        clock: any NetworkClock = NetworkManager.clientConfiguration.clock,
        random: @escaping @Sendable () -> Double = NetworkManager.clientConfiguration.random
    ) {
        self.init(
            configuration: .process { configuration in
                configuration.setEnvironment(environment, authenticationProvider)
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
            })
    }

    /// A client with other settings that shares with this one what belongs to the settings that stay the same: transport and
    /// connections, cookies, cache, circuit breaker, limits, and what is known of credentials.
    ///
    /// ```swift
    /// let patient = client.with { $0.timeoutInterval = 120 }
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
        let pipeline = PipelineBuilder(configuration, resources)
        preparer = pipeline.preparer
        hasCache = configuration.cache != nil
        chain = pipeline.chain(gate: gate)
    }

    /// The base URL of endpoints and paths, and what goes with every request to it; nil if requests name their own URL.
    public var environment: (any NetworkEnvironment)? { configuration.environment }
    /// Decodes the bodies of responses.
    public var decoder: any BodyDecoder { configuration.decoder }
    /// Encodes the bodies of requests.
    public var encoder: any BodyEncoder { configuration.encoder }
    /// The clock of retries, deadlines and timestamps.
    public var clock: any NetworkClock { configuration.clock }
    /// The most bytes that are collected of a response: see ``Configuration/maximumBodySize``.
    public var maximumBodySize: Int { configuration.maximumBodySize }
    /// Decides which header fields are credentials.
    package var credentialFields: CredentialFields { preparer.fields }
    /// The cookies that the client sends and receives; nil if it keeps none.
    public var cookies: CookieStore? { resources.cookies }

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
    @concurrent
    public func value<Serializer: ResponseSerializer>(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil, serializer: Serializer
    ) async throws(NetworkFailure) -> Serializer.Value {
        try await value(for: request, body: body, context: context) {
            try serializer.serialize($0, response: $1)
        }
    }

    /// Sends a request and decodes the body of its response (seed 004).
    ///
    /// - Throws: a failure; ``NetworkError/noData`` and ``NetworkError/decodingError(_:)`` among them.
    public func execute<Value: Decodable & Sendable>(
        concurrently request: URLRequest
    ) async throws(NetworkFailure) -> Value {
        try await value(for: request, serializer: DecodableSerializer(Value.self, decoder: decoder))
    }

    /// Sends a request and decodes the body of its response on the caller's actor.
    ///
    /// - Throws: a failure; ``NetworkError/noData`` and ``NetworkError/decodingError(_:)`` among them.
    @_disfavoredOverload
    public nonisolated(nonsending) func execute<Value: Decodable>(
        _ request: URLRequest
    ) async throws(NetworkFailure) -> Value {
        try await value(for: request)
    }

    /// Ends the client's life. Calls made afterwards fail with ``NetworkError/unsupported(_:)``; twice is fine.
    ///
    /// The transport is closed with the last client that shares it (``with(_:)``); a transport given to two initialisers is closed by
    /// either. Without a shutdown the client ends by itself when it is released and its last call is done.
    ///
    /// - Parameter mode: what is done with the calls in flight.
    public func shutdown(_ mode: ShutdownMode = .drain) async {
        gate.close(cancelling: mode == .cancel)
        if mode == .drain { await gate.waitUntilEmpty() }
        if resources.lease.end() { await resources.transport.shutdown() }
        await gate.waitUntilEmpty()
    }

    /// What becomes of the calls in flight at a shutdown.
    public enum ShutdownMode: Sendable {
        /// They run to their end. A body that is read as a stream is not waited for.
        case drain
        /// They fail with ``NetworkError/cancelled``: those that the transport is sending (if it implements ``HTTPTransport/shutdown()``),
        /// and those that wait for a retry. One that waits in an interceptor goes on to its next step first.
        case cancel
    }

    /// Off the caller's actor, and all that is further in stays where this is.
    ///
    /// - Parameter detour: the pipeline to take in place of the client's own.
    @concurrent
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
        context.preparer = preparer
        context.prepared = nil
        if !hasCache { try CacheAbsence.refuse(context) }
        if isCollected, context.delivery == .streamed { context.delivery = .collected(limit: maximumBodySize) }
        var request = request
        let body = try request.lower(or: body)
        if !context.isLowered { configuration.complete(&request, context) }
        try context.applyCacheChoice(to: &request)
        context.origin = context.origin ?? request.url
        if context.deadline == nil, let totalTimeout = configuration.resilience.totalTimeout {
            context.deadline = clock.uptime + totalTimeout
        }
        let chain = detour ?? chain
        guard context.deadline != nil || resources.transport.isShared else {
            return try await exchange(request, body: body, context: context, isCollected: isCollected, through: chain)
        }
        let run = { @Sendable [self, request, context] in
            try await RetryDeadline.run(context, request) { context in
                try await self.exchange(
                    request, body: body, context: context, isCollected: isCollected, through: chain)
            }
        }
        // Closing a transport that others use would end their calls as well: this client's are ended one by one.
        return try await resources.transport.isShared ? gate.run(run) : run()
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
