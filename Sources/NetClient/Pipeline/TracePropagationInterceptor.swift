/// Adds requests to a distributed trace (W3C Trace Context) by `traceparent` and, if there is one, `tracestate`.
///
/// ```swift
/// let client = NetworkClient(interceptors: [TracePropagationInterceptor()])
/// ```
///
/// Add it to `interceptors:`. Each attempt is a span of its own in the trace of ``RequestContext/traceContext`` (that is, ``TraceContext/current``).
/// Without a trace, a call starts one that its attempts and redirects share. An existing `traceparent` of the caller or an outer interceptor stays.
///
/// A trace ID shows its recipients which requests belong together. By default it is sent to the origin of the call only, and not to other
/// origins after a redirect.
public struct TracePropagationInterceptor: HTTPInterceptor, CredentialFreeInterceptor {
    /// The destinations of the fields.
    public enum Scope: Sendable {
        /// The origin (scheme, host and port) of the call.
        case callOrigin
        /// The origins of these URLs, such as your own services. Their paths do not matter.
        case origins([URL])
        /// All origins, also after redirects.
        case everywhere
    }

    /// The treatment of a call without a trace.
    public enum NewTraces: Sendable {
        /// The call stays without a trace.
        case none
        /// The call starts a trace, and asks the server to record it.
        case sampled
        /// The call starts a trace that is not recorded.
        case unsampled
    }

    private let scope: Scope
    /// Those of ``Scope/origins(_:)``.
    private let origins: Set<Origin>
    private let newTraces: NewTraces

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - scope: the destinations of the fields.
    ///   - newTraces: the treatment of a call without a trace.
    public init(scope: Scope = .callOrigin, newTraces: NewTraces = .sampled) {
        self.scope = scope
        origins = if case .origins(let urls) = scope { Set(urls.compactMap(\.origin)) } else { [] }
        self.newTraces = newTraces
    }

    /// Adds the fields if the scope permits, and sends the request on.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let url = request.url, isInScope(url, of: next.context) else { return try await next(request) }
        var next = next
        if let own = request.value(forHTTPHeaderField: "traceparent") {
            next.context.traceContext = TraceContext(
                traceparent: own, tracestate: request.value(forHTTPHeaderField: "tracestate"))
            return try await next(request)
        }
        guard let trace = trace(of: next.context) else { return try await next(request) }
        next.context.traceContext = trace
        var request = request
        request.setValue(trace.traceparent, forHTTPHeaderField: "traceparent")
        // Nil too: a tracestate without its traceparent belongs to another trace.
        request.setValue(trace.traceState, forHTTPHeaderField: "tracestate")
        return try await next(request)
    }

    private func trace(of context: RequestContext) -> TraceContext? {
        if let parent = context.traceContext { return parent.child() }
        if newTraces == .none { return nil }
        return TraceContext(
            traceID: TraceContext.TraceID(call: context.id), spanID: .random(), isSampled: newTraces == .sampled)
    }

    private func isInScope(_ url: URL, of context: RequestContext) -> Bool {
        switch scope {
        case .everywhere: true
        case .callOrigin: context.origin.map { $0.origin == url.origin } ?? true
        case .origins: url.origin.map(origins.contains) ?? false
        }
    }
}
