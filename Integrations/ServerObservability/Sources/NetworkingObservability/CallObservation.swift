import Logging
import NetCore
import NetLogging
import Tracing

/// Observes each call: a span around its attempts, a log message at its end, and the counters of calls. Outermost.
///
/// A call ends when its response's body has been read, has failed, or was released; without a stream, when the response is there.
struct CallObservation: HTTPInterceptor {
    let observation: Observation

    var isActive: Bool { observation.isActive }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let tools = observation.traceTools
        guard observation.hasReceivers(tools) else { return try await next(request) }
        let url = request.url?.absoluteString ?? ""
        let target = observation.target(of: url, request, template: next.context.urlTemplate)
        let span = tools.map { tools in
            tools.tracer.startSpan(target.spanName, context: ServiceContext.current ?? .topLevel, ofKind: .internal)
        }
        let state = CallState(request, next.context, url: url, target: target, tools: tools, span: span)
        var response: TransportResponse
        do {
            response = try await CallState.$current.withValue(state) {
                guard let span else { return try await next(request) }
                return try await ServiceContext.$current.withValue(span.context) { try await next(request) }
            }
        } catch {
            end(state, next.context.clock, .failure(error))
            throw error
        }
        // A replayable body holds no connection. One of an upgrade (101) has none.
        guard response.body.data == nil, !response.body.isReplayable, response.status != 101 else {
            state.recordStreamedSize()
            end(state, next.context.clock, .success(response))
            return response
        }
        var head = response
        head.body = .empty
        response.body = response.body.watched { [self, head, clock = next.context.clock] isComplete, error in
            if isComplete { state.recordStreamedSize() }
            end(state, clock, error.map { .failure($0) } ?? .success(head))
        }
        return response
    }

    private func end(
        _ state: CallState, _ clock: any NetworkClock, _ result: Result<TransportResponse, any Error>
    ) {
        let outcome: Outcome
        let retries: [RetryTrace.Retry]
        switch result {
        case .success(let response):
            outcome = Outcome(response)
            retries = response.retryTrace.retries
            countHit(response, state)
        case .failure(let error):
            outcome = Outcome(error)
            retries = (error as? NetworkFailure)?.retryTrace.retries ?? []
        }
        for retry in retries {
            let reason = (Attribute.retryReason, retry.reason.rawValue)
            state.target.count(Metric.retries, by: reason, in: observation.settings.metrics)
        }
        if let logger = observation.settings.logger {
            // So that a metadata provider finds the trace.
            if let span = state.span {
                ServiceContext.withValue(span.context) { logger.logEnd(of: state, outcome, result, clock) }
            } else {
                logger.logEnd(of: state, outcome, result, clock)
            }
        }
        state.span?.end(outcome, result, state.target) { attributes in
            attributes.set(Attribute.url, value: .stringConvertible(RedactedURL(text: state.url)))
            attributes.set(Attribute.callID, value: .stringConvertible(state.id))
            if state.target.isOtherMethod, let method = state.method {
                attributes.set(Attribute.originalMethod, value: .string(method))
            }
        }
    }

    /// Counts a call that the client's cache answered. A response of the server may carry the `Cache-Status` of a proxy.
    private func countHit(_ response: TransportResponse, _ state: CallState) {
        guard response.request == nil || state.count == 0, let status = response.headers["Cache-Status"],
            CallMetrics.CacheState(cacheStatus: status) == .hit
        else { return }
        state.target.count(Metric.cacheHits, in: observation.settings.metrics)
    }
}

extension Logging.Logger {
    /// Logs the end of a call. Nothing is formatted unless the handler does it.
    fileprivate func logEnd(
        of state: CallState, _ outcome: Outcome, _ result: Result<TransportResponse, any Error>,
        _ clock: any NetworkClock
    ) {
        let isCancelled = outcome.error == NetworkError.cancelled.code
        let level: Level =
            if let status = outcome.status { status >= 500 ? .error : status >= 400 ? .warning : .info } else {
                isCancelled || outcome.error == nil ? .info : .error
            }
        guard logLevel <= level else { return }
        var metadata = state.metadata(outcome, resends: max(0, state.count - 1))
        metadata[Attribute.callDuration] = .stringConvertible(clock.uptime - state.start)
        if case .failure(let error) = result, !isCancelled {
            metadata[Attribute.errorMessage] = .string("\(error.secretFree)")
        }
        let message: Message =
            outcome.error == nil ? "request completed" : isCancelled ? "request cancelled" : "request failed"
        log(level: level, message, metadata: metadata)
    }
}

extension CallState {
    /// Records the size of a streamed response that was read to its end, if the transport reports it.
    fileprivate func recordStreamedSize() {
        guard let streamed, streamed.head.metrics.total != nil else { return }
        streamed.target.record(received: streamed.head.metrics.bytesReceived, streamed.outcome)
    }

    /// The metadata of a message about the call or one of its attempts.
    func metadata(_ outcome: Outcome, resends: Int, target other: Target? = nil, url otherURL: String? = nil)
        -> Logging.Logger.Metadata
    {
        let target = other ?? target
        var metadata = target.metadata
        metadata[Attribute.callID] = .stringConvertible(id)
        if !target.hasTemplate { metadata[Attribute.url] = .stringConvertible(RedactedURL(text: otherURL ?? url)) }
        if let status = outcome.status { metadata[Attribute.status] = .stringConvertible(status) }
        if resends > 0 { metadata[Attribute.resendCount] = .stringConvertible(resends) }
        if let type = outcome.errorType { metadata[Attribute.errorType] = .string(type) }
        return metadata
    }
}
