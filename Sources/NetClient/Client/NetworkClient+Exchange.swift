// From a request to its response: every call, whatever its front door, goes through `perform`.
extension NetworkClient {
    /// Leaves the caller's actor. All inner interceptors run where this runs.
    @concurrent
    func perform(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext?, isCollected: Bool, isUpgrade: Bool = false
    ) async throws(NetworkFailure) -> TransportResponse {
        do {
            guard let call = calls.enter() else {
                throw NetworkError.unsupported("This client was shut down. Make a new one.")
            }
            defer { calls.leave() }
            var request = request
            let next = try begin(&request, body, context, number: call, isCollected: isCollected, isUpgrade: isUpgrade)
            if resources.transport.needsTasks {
                return try await calls.run(for: call) { [self, request] in
                    try await exchangeInTime(request, next, isCollected: isCollected)
                }
            }
            if next.context.pipeline.retryTrace != nil {
                return try await exchangeInTime(request, next, isCollected: isCollected)
            }
            return try await finish(try await next(request), next.context, isCollected: isCollected)
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
        }
    }

    /// Completes a call's request and context, and returns the pipeline that it goes through.
    private func begin(
        _ request: inout URLRequest, _ body: HTTPBody?, _ context: RequestContext?, number: UInt64, isCollected: Bool,
        isUpgrade: Bool
    ) throws -> Next {
        var context = context ?? RequestContext(clock: clock)
        // A context that was made elsewhere lacks the client's.
        context.clock = clock
        context.pipeline.group = calls
        context.pipeline.call = number
        context.pipeline.prepared = nil
        var (chain, preparer) = try pipeline(for: &request, &context)
        context.pipeline.preparer = preparer
        if isUpgrade {
            chain = InterceptorChain(
                interceptors: chain.interceptors.filter(\.handlesUpgrades),
                transport: UpgradeTransport(transport: chain.transport), isPrepared: true, receive: chain.receive)
        }
        if isCollected, context.delivery == .streamed { context.delivery = .collected(limit: maximumBodySize) }
        let body = try request.extractBody(or: body)
        if !context.pipeline.isRequestComplete { configuration.complete(&request, context) }
        try context.applyCacheChoice(to: &request)
        context.pipeline.validated = request
        context.origin = context.origin ?? request.url
        if context.deadline == nil, let totalTimeout = configuration.resilience.totalTimeout {
            context.deadline = clock.uptime + totalTimeout
        }
        // Before the context is shared: setting it later copies everything beside it.
        context.pipeline.retryTrace = needsTimer(chain, context) ? Locked(RetryTrace()) : nil
        return Next(chain: chain, body: body, context: context)
    }

    /// Whether a call has a deadline that its pipeline does not keep by itself. A task and a timer cost as much as a small exchange.
    private func needsTimer(_ chain: InterceptorChain, _ context: RequestContext) -> Bool {
        guard context.deadline != nil else { return false }
        return !chain.keepsDeadlines || context[AuthenticationProviderKey.self] != nil
            || context[RetryPolicyKey.self]?.decide != nil
    }

    // Not inlined: what it needs would lie in the frame of every call in flight.
    @inline(never)
    private func finish(
        _ response: TransportResponse, _ context: RequestContext, isCollected: Bool
    ) async throws -> TransportResponse {
        var response = response
        if context.hasOptions { response.pipeline.keyPath = context.options.responseKeyPath }
        // A stored response has passed no interceptor inside the cache.
        if response.pipeline.acceptedStatusCodes == nil, let codes = context.pipeline.preparer?.acceptedStatusCodes {
            response.pipeline.acceptedStatusCodes = codes
        }
        if isCollected, case .collected(let limit) = context.delivery {
            // Enforces the limit: interceptors and transports may ignore ``RequestContext/delivery``.
            _ = try await response.collectBody(upTo: limit, clock: clock)
        } else {
            response.body = response.body.mappingErrors { [clock, response] error in
                NetworkFailure(reading: response, error: error, timestamp: clock.now)
            }
        }
        return response
    }

    /// Sends a request, and ends the call at its deadline, whatever it is doing: sending, sleeping before a retry, waiting for a limit or for new
    /// credentials. The call has ended when this returns.
    ///
    /// A part of the pipeline that knows the deadline reports its own timeout, which says more and is preferred. Otherwise the error at the
    /// deadline is ``NetworkError/timeout`` over ``TransportError/Code/totalTimeout``.
    private func exchangeInTime(
        _ request: URLRequest, _ next: Next, isCollected: Bool
    ) async throws -> TransportResponse {
        guard let remaining = next.context.timeRemaining, remaining < .infinity else {
            return try await finish(try await next(request), next.context, isCollected: isCollected)
        }
        guard remaining > 0 else { throw Self.deadlineFailure(request, next.context, phase: .preparing) }
        let response = try await clock.run(for: remaining) { [self] in
            try await finish(try await next(request), next.context, isCollected: isCollected)
        }
        if let response { return response }
        throw Self.deadlineFailure(request, next.context, phase: .waiting)
    }

    @inline(never)
    private static func deadlineFailure(
        _ request: URLRequest, _ context: RequestContext, phase: TransportError.Phase
    ) -> NetworkFailure {
        let trace = context.pipeline.retryTrace?.withLock { $0 } ?? RetryTrace()
        let message =
            phase == .preparing
            ? "The call's deadline had passed before it was sent." : "The call's deadline came before its answer."
        var failure = NetworkFailure(
            wrapping: TransportError(.totalTimeout, phase: phase, message: message, url: request.url), request: request,
            timestamp: context.clock.now, retryAttempt: phase == .preparing ? nil : trace.retries.count)
        failure.retryTrace = trace
        failure.retryTrace.end = .deadline
        return failure
    }
}

// Calls with settings of their own: see `RequestOptions`.
extension NetworkClient {
    /// Applies the options of a call, and returns the pipeline that it goes through: the client's, or one of its own. Throws
    /// ``NetworkError/unsupported(_:)`` for an option that the client or its transport lacks.
    func pipeline(
        for request: inout URLRequest, _ context: inout RequestContext
    ) throws -> (chain: InterceptorChain, preparer: RequestPreparer) {
        guard context.hasOptions else { return (chain, preparer) }
        let options = context.options
        if let usesCookies = options.usesCookies {
            guard !usesCookies || cookies != nil else {
                throw NetworkError.unsupported(
                    "The call asks for cookies, and its client has no cookie store. Set Configuration.cookies.")
            }
            request.httpShouldHandleCookies = usesCookies
        }
        guard options.changesPipeline else { return (chain, preparer) }
        var configuration = configuration
        configuration.callInterceptors += options.callInterceptors
        configuration.interceptors += options.interceptors
        if options.onRequest != nil || options.onResponse != nil {
            configuration.interceptors.append(
                RequestHooks(onRequest: options.onRequest, onResponse: options.onResponse))
        }
        if let policy = options.redirectPolicy { configuration.redirectPolicy = policy }
        var resources = resources
        if let trust = options.trust {
            resources = try resources.trusting(trust)
            if trust.policy != nil {
                try context.refuseCacheUse(
                    "A call with a trust policy of its own has no cache. Leave out the cache policy.")
                context.cachePolicy = .networkOnly
            }
        }
        let pipeline = PipelineBuilder(configuration, resources)
        return (pipeline.chain(calls: calls), pipeline.preparer)
    }
}

extension TransportResponse {
    /// Validates the response of a call by the call's rules (``RequestContext/validation``), else by the client's `ValidationInterceptor`, else by
    /// the statuses 200 to 299.
    package func validate(
        data: Data, by validation: ResponseValidation? = nil, timestamp: Date
    ) throws(NetworkFailure) {
        guard ResponseValidation.accepts(status, among: validation?.statusCodes ?? pipeline.acceptedStatusCodes) else {
            throw NetworkFailure(response: self, data: data, timestamp: timestamp)
        }
        guard let validation else { return }
        do {
            try validation.validateContent(of: self, data: data)
        } catch {
            throw NetworkFailure(serializing: error, response: self, data: data, timestamp: timestamp)
        }
    }
}

private struct RequestHooks: RequestInterceptor {
    let onRequest: (@Sendable (inout URLRequest) async throws -> Void)?
    let onResponse: (@Sendable (TransportResponse) async throws -> Void)?

    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        try await onRequest?(&request)
        return request
    }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let response = try await next(request)
        try await onResponse?(response)
        return response
    }
}
