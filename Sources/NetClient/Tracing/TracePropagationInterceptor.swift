/// Makes requests part of a distributed trace (W3C Trace Context): adds `traceparent`, and `tracestate` where there is one.
///
/// ```swift
/// let client = NetworkClient(interceptors: [TracePropagationInterceptor()])
/// ```
///
/// It belongs among `interceptors:`: each attempt is an operation of its own, with a span of its own, in the trace of
/// ``RequestContext/traceContext`` (that is, ``TraceContext/current``). Where there is none, a call begins a trace that its attempts and
/// redirects share. A `traceparent` that the caller (or an interceptor further out) has set stays as it is.
///
/// The name of a trace lets whoever gets it tell which requests belong together: by default it goes to the origin that the call was made
/// to and to no other to which a redirect leads.
public struct TracePropagationInterceptor: HTTPInterceptor {
    /// Where the fields are sent.
    public enum Scope: Sendable {
        /// To the origin (scheme, host and port) with which the call started.
        case callOrigin
        /// To the origins of these URLs, whatever their paths: your own services.
        case origins([URL])
        /// Everywhere: also where redirects lead.
        case everywhere
    }

    /// What becomes of a call that belongs to no trace.
    public enum NewTraces: Sendable {
        /// It stays without one.
        case none
        /// It begins one, and asks the server to record it.
        case sampled
        /// It begins one that only links what others record.
        case unsampled
    }

    private let scope: Scope
    private let newTraces: NewTraces
    private let origins: Set<Origin>

    /// An interceptor.
    ///
    /// - Parameters:
    ///   - scope: where the fields are sent.
    ///   - newTraces: what becomes of a call that belongs to no trace.
    public init(scope: Scope = .callOrigin, newTraces: NewTraces = .sampled) {
        self.scope = scope
        self.newTraces = newTraces
        if case .origins(let urls) = scope { origins = Set(urls.compactMap(\.origin)) } else { origins = [] }
    }

    /// Adds the fields where they may go, and sends the request on.
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
        // One without its traceparent belongs to another trace.
        if let state = trace.traceState ?? request.value(forHTTPHeaderField: "tracestate").map({ _ in "" }) {
            request.setValue(state.isEmpty ? nil : state, forHTTPHeaderField: "tracestate")
        }
        return try await next(request)
    }

    private func trace(of context: RequestContext) -> TraceContext? {
        if let parent = context.traceContext { return parent.child() }
        let isSampled: Bool
        switch newTraces {
        case .none: return nil
        case .sampled: isSampled = true
        case .unsampled: isSampled = false
        }
        return TraceContext(traceID: TraceID(call: context.id), spanID: .random(), isSampled: isSampled)
    }

    private func isInScope(_ url: URL, of context: RequestContext) -> Bool {
        switch scope {
        case .everywhere: true
        case .callOrigin: context.origin.map { $0.origin == url.origin } ?? true
        case .origins: url.origin.map(origins.contains) ?? false
        }
    }
}
