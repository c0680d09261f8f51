// From a request to its response: every call, whatever its front door, goes through `perform`.
extension NetworkClient {
    /// Leaves the caller's actor. All inner interceptors run where this runs.
    @concurrent
    func perform(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext?, isCollected: Bool, isUpgrade: Bool = false
    ) async throws -> TransportResponse {
        guard let call = calls.enter() else {
            throw NetworkError.unsupported("This client was shut down. Make a new one.")
        }
        defer { calls.leave() }
        var request = request
        let next = try begin(
            &request, body, context, number: call, isCollected: isCollected, isUpgrade: isUpgrade)
        if resources.transport.isShared {
            // A shutdown must not close a transport of other clients, so it cancels this client's calls one by one.
            return try await calls.run { [self, request] in
                try await exchangeInTime(request, next, isCollected: isCollected)
            }
        }
        if next.context.deadline != nil {
            return try await exchangeInTime(request, next, isCollected: isCollected)
        }
        return try await exchange(request, next, isCollected: isCollected)
    }

    /// Completes a call's request and context, and returns the pipeline that it goes through.
    private func begin(
        _ request: inout URLRequest, _ body: HTTPBody?, _ context: RequestContext?, number: UInt64, isCollected: Bool,
        isUpgrade: Bool
    ) throws -> Next {
        var context = context ?? RequestContext(clock: clock)
        // A context that was made elsewhere lacks the client's.
        context.clock = clock
        context.group = calls
        context.call = number
        context.prepared = nil
        var (chain, preparer) = try pipeline(for: &request, &context)
        context.preparer = preparer
        if isUpgrade {
            chain = InterceptorChain(
                interceptors: chain.interceptors.filter(\.handlesUpgrades),
                transport: UpgradeTransport(transport: chain.transport), isPrepared: true, receive: chain.receive)
        }
        if isCollected, context.delivery == .streamed { context.delivery = .collected(limit: maximumBodySize) }
        let body = try request.extractBody(or: body)
        if !context.isRequestComplete { configuration.complete(&request, context) }
        try context.applyCacheChoice(to: &request)
        context.validated = request
        context.origin = context.origin ?? request.url
        if context.deadline == nil, let totalTimeout = configuration.resilience.totalTimeout {
            context.deadline = clock.uptime + totalTimeout
        }
        return Next(chain: chain, body: body, context: context)
    }

    private func exchange(_ request: URLRequest, _ next: Next, isCollected: Bool) async throws -> TransportResponse {
        let response = try await next(request)
        return try await finish(response, next.context, isCollected: isCollected)
    }

    // Not inlined: what it needs would lie in the frame of every call in flight.
    @inline(never)
    private func finish(
        _ response: TransportResponse, _ context: RequestContext, isCollected: Bool
    ) async throws -> TransportResponse {
        var response = response
        if context.hasOptions { response.keyPath = context.options.responseKeyPath }
        if isCollected, case .collected(let limit) = context.delivery {
            response.body = try await collectedBody(of: response, upTo: limit)
        } else {
            response.body = response.body.mappingErrors { [clock, response] error in
                NetworkFailure(reading: response, error: error, timestamp: clock.now)
            }
        }
        return response
    }

    /// Runs a call until its deadline, if it has one.
    private func exchangeInTime(
        _ request: URLRequest, _ next: Next, isCollected: Bool
    ) async throws -> TransportResponse {
        try await CallDeadline.run(next.context, request) { [self] context in
            var next = next
            next.context = context
            return try await exchange(request, next, isCollected: isCollected)
        }
    }

    /// Enforces the limit: interceptors and transports may ignore ``RequestContext/delivery``.
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
