import CoreMetrics
import Logging
import NetCore
import Tracing

/// Observes each exchange with a server: the metrics by OpenTelemetry's conventions, and one span of the kind `client`. Innermost.
///
/// It ends when the head of the response is there, and with it the body if the caller collects it (OpenTelemetry, "HTTP client span duration").
struct ExchangeObservation: HTTPInterceptor {
    let observation: Observation

    var isActive: Bool { observation.isActive }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let call = CallState.current
        let tools = call == nil ? observation.traceTools : call?.tools
        guard call != nil || observation.hasReceivers(tools) else { return try await next(request) }
        let url = request.url?.absoluteString ?? ""
        let target =
            if let call, call.url == url, call.method == request.httpMethod { call.target } else {
                observation.target(of: url, request, template: nil)
            }
        let resends = call?.begin() ?? 0
        let active = target.begin(observation.settings.metrics)
        let parent = call?.span?.context ?? ServiceContext.current ?? .topLevel
        let span = tools?.tracer.startSpan(target.spanName, context: parent, ofKind: .client)
        var request = request
        if let tools, observation.propagates(to: url, of: next.context) {
            tools.inject(span?.context ?? parent, into: &request)
        }
        let exchange = Exchange(
            observation: observation, call: call, target: target, url: url, method: request.httpMethod,
            resends: resends,
            sent: next.body?.length, clock: next.context.clock, start: next.context.clock.uptime, span: span)
        defer { active?.decrement() }
        do {
            let response: TransportResponse
            if let span {
                response = try await ServiceContext.$current.withValue(span.context) { [request] in
                    try await next(request)
                }
            } else {
                response = try await next(request)
            }
            exchange.end(response)
            return response
        } catch {
            exchange.end(error)
            throw error
        }
    }
}

/// One exchange that is under way.
private struct Exchange {
    let observation: Observation
    let call: CallState?
    let target: Target
    let url: String
    let method: String?
    let resends: Int
    let sent: Int64?
    let clock: any NetworkClock
    let start: TimeInterval
    let span: (any Tracing.Span)?

    func end(_ response: TransportResponse) {
        let outcome = Outcome(response)
        let metrics = response.metrics
        var received: Int64?
        if let data = response.body.data {
            received = metrics.total == nil ? (response.wire == nil ? Int64(data.count) : nil) : metrics.bytesReceived
        } else {
            var head = response
            head.body = .empty
            call?.streamed = CallState.StreamedResponse(target: target, outcome: outcome, head: head)
        }
        end(outcome, .success(response), received: received)
    }

    func end(_ error: any Error) {
        end(Outcome(error), .failure(error), received: nil)
    }

    private func end(_ outcome: Outcome, _ result: Result<TransportResponse, any Error>, received: Int64?) {
        target.record(outcome, seconds: clock.uptime - start, sent: sent, received: received)
        if let logger = observation.settings.logger, let call, logger.logLevel <= .debug {
            var metadata = call.metadata(outcome, resends: resends, target: target, url: url)
            metadata[Attribute.callDuration] = nil
            logger.log(level: .debug, outcome.error == nil ? "attempt completed" : "attempt failed", metadata: metadata)
        }
        span?.end(outcome, result, target) { attributes in
            attributes.set(Attribute.url, value: .stringConvertible(RedactedURL(text: url)))
            if resends > 0 { attributes.set(Attribute.resendCount, value: .int64(Int64(resends))) }
            if let version = outcome.version { attributes.set(Attribute.protocolVersion, value: .string(version)) }
            if target.isOtherMethod, let method { attributes.set(Attribute.originalMethod, value: .string(method)) }
            if case .success(let response) = result,
                let peer = response.metrics.remoteAddress ?? response.connection?.remoteAddress
            {
                attributes.setPeer(peer)
            }
        }
    }
}

extension SpanAttributes {
    /// Sets address and port of `192.0.2.1:443` or `[::1]:443`.
    fileprivate mutating func setPeer(_ peer: String) {
        let colon = peer.utf8.lastIndex(of: UInt8(ascii: ":"))
        guard let colon, let port = Int64(peer[peer.index(after: colon)...]) else {
            return set(Attribute.peerAddress, value: .string(peer))
        }
        let address = peer[..<colon]
        let isBracketed = address.utf8.first == UInt8(ascii: "[") && address.utf8.last == UInt8(ascii: "]")
        set(Attribute.peerAddress, value: .string(String(isBracketed ? address.dropFirst().dropLast() : address)))
        set(Attribute.peerPort, value: .int64(port))
    }
}
