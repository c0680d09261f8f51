import NetCore

/// The data of one exchange.
struct ExchangeRecord: Sendable {
    let number: UInt64
    let attempt: Int
    let request: URLRequest
    let body: HTTPBody?
    let date: Date
    /// Uptimes of the clock: when only the client held the request back, and when the transport got it.
    let ready: TimeInterval
    let start: TimeInterval
    /// The response, without a body that is still arriving.
    var response: TransportResponse?
    var error: (any Error)?
    /// The end, if it is known.
    var end: TimeInterval?
}

/// The data of one call after its end.
struct CallRecord: Sendable {
    let id: RequestContext.ID
    let request: URLRequest
    let date: Date
    let start: TimeInterval
    let headEnd: TimeInterval
    let end: TimeInterval
    let exchanges: [ExchangeRecord]
    let retries: [RetryTrace.Retry]
    /// The caller's result, without a body that was read as a stream.
    let result: Result<TransportResponse, any Error>

    func metrics(_ redactor: Redactor) -> CallMetrics {
        let outcome: CallMetrics.Outcome =
            switch result {
            case .success(let response): .status(response.status)
            case .failure(let error) where NetworkError(error).isCancellation: .cancelled
            case .failure(let error): .failure(code: NetworkError(error).errorType)
            }
        return CallMetrics(
            id: id, method: request.httpMethod ?? "GET", url: request.url.map(redactor.text(of:)) ?? "",
            host: request.url?.host ?? "", start: date, duration: max(0, end - start),
            timeToHead: max(0, headEnd - start), outcome: outcome,
            exchanges: exchanges.map { CallMetrics.Exchange($0, callStart: start, end: end, redactor: redactor) },
            retries: retries, cache: (try? result.get()).flatMap { CallMetrics.CacheState($0) })
    }
}

/// Collects the events of one call, from its start to the end of the response's body.
final class CallTrace: NetworkEventObserver {
    private struct State {
        var exchanges: [ExchangeRecord] = []
        var retries: [RetryTrace.Retry] = []
        /// The time when the next exchange could have started.
        var ready: TimeInterval

        mutating func change(_ number: UInt64?, _ body: (inout ExchangeRecord) -> Void) {
            guard let index = exchanges.lastIndex(where: { $0.number == number }) else { return }
            body(&exchanges[index])
        }
    }

    private let context: RequestContext
    private let request: URLRequest
    private let date: Date
    private let start: TimeInterval
    private let state: Locked<State>

    private init(_ request: URLRequest, _ context: RequestContext) {
        self.context = context
        self.request = request
        date = context.clock.now
        start = context.clock.uptime
        state = Locked(State(ready: start))
    }

    /// Sends a request, and calls `onEnd` when the caller has read or released the response.
    static func follow(
        _ request: URLRequest, _ next: Next, onEnd: @escaping @Sendable (CallRecord) -> Void
    ) async throws -> TransportResponse {
        let trace = CallTrace(request, next.context)
        var next = next
        next.context.observers.append(trace)
        var response: TransportResponse
        do {
            response = try await next(request)
        } catch {
            let now = next.context.clock.uptime
            onEnd(trace.record(.failure(error), headEnd: now, end: now))
            throw error
        }
        let headEnd = next.context.clock.uptime
        let head = response.withoutStream
        response.body = response.body.watched { reading in
            let result = reading.error.map { Result<TransportResponse, any Error>.failure($0) } ?? .success(head)
            onEnd(trace.record(result, headEnd: headEnd, end: trace.context.clock.uptime))
        }
        return response
    }

    var observesSteps: Bool { false }

    func observe(_ event: NetworkEvent) {
        state.withLock { state in
            switch event.kind {
            case .sending(let request, let body):
                state.exchanges.append(
                    ExchangeRecord(
                        number: event.exchange ?? 0, attempt: event.attempt, request: request, body: body,
                        date: event.date, ready: state.ready, start: event.uptime))
            case .responded(let response):
                state.ready = event.uptime
                state.change(event.exchange) {
                    $0.response = response.withoutStream
                    if response.body.data != nil { $0.end = event.uptime }
                }
            case .failed(let error):
                state.ready = event.uptime
                state.change(event.exchange) {
                    $0.error = error
                    $0.end = event.uptime
                }
            case .retrying(let retry):
                state.retries.append(retry)
                state.ready = event.uptime + retry.delay
            case .notice, .step: break
            }
        }
    }

    private func record(_ result: Result<TransportResponse, any Error>, headEnd: TimeInterval, end: TimeInterval)
        -> CallRecord
    {
        let state = state.withLock { $0 }
        var exchanges = state.exchanges
        // A body that could not be read belongs to the last exchange, which ended with a response.
        if case .failure(let error) = result, let last = exchanges.indices.last, exchanges[last].error == nil {
            exchanges[last].error = error
        }
        return CallRecord(
            id: context.id, request: request, date: date, start: start, headEnd: headEnd, end: end,
            exchanges: exchanges, retries: state.retries, result: result)
    }
}

extension TransportResponse {
    /// A copy to keep. A stream would hold its connection. The metrics are completed all the same.
    fileprivate var withoutStream: TransportResponse {
        guard body.data == nil else { return self }
        var copy = self
        copy.body = HTTPBody(length: body.length, pulling: { nil })
        return copy
    }
}
