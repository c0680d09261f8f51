/// Where a request belongs in a distributed trace (W3C Trace Context): what `traceparent` and `tracestate` say.
///
/// ```swift
/// // In a server, around the handling of a request: what it sends belongs to the same trace.
/// let trace = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") ?? TraceContext()
/// try await TraceContext.$current.withValue(trace) {
///     _ = try await client.data(for: request)
/// }
/// ```
///
/// `TracePropagationInterceptor` puts it into requests.
public struct TraceContext: Hashable, Sendable {
    /// Names the trace.
    public let traceID: TraceID
    /// Names the operation: in a header, the caller's.
    public let spanID: SpanID
    /// Whether the caller records the trace, and so asks those it calls to do the same.
    public var isSampled: Bool
    /// What tracing systems keep with the trace: a list of `key=value` that was checked, without white space. Nil if there is none.
    public let traceState: String?
    /// Whether ``traceID`` is known to be random (level 2 of the recommendation): handed on as it came.
    let isRandom: Bool

    /// The trace to which the work of the current task belongs; nil if there is none. Set it with `$current.withValue(_:)`.
    @TaskLocal public static var current: TraceContext?

    /// The root of a new trace, with random names.
    public init(isSampled: Bool = true) {
        self.init(traceID: .random(), spanID: .random(), isSampled: isSampled)
    }

    /// A trace by its parts.
    ///
    /// - Parameters:
    ///   - traceID: names the trace.
    ///   - spanID: names the part of it that sends.
    ///   - isSampled: whether the trace is recorded.
    ///   - traceState: the value of a `tracestate` field; one that is malformed is left out.
    public init(traceID: TraceID, spanID: SpanID, isSampled: Bool, traceState: String? = nil) {
        self.init(
            traceID: traceID, spanID: spanID, isSampled: isSampled,
            checkedState: traceState.flatMap(TraceStateText.checked), isRandom: false)
    }

    /// Reads what a request carried; nil if `traceparent` is malformed, and then a new trace should be begun (section 3.4).
    ///
    /// - Parameters:
    ///   - traceparent: the value of the field: version 00, or what a later version has in common with it.
    ///   - tracestate: the value of that field. One that is malformed is left out; `traceparent` counts nevertheless.
    public init?(traceparent: String, tracestate: String? = nil) {
        guard let parsed = Traceparent(traceparent) else { return nil }
        self.init(
            traceID: parsed.traceID, spanID: parsed.spanID, isSampled: parsed.flags & 1 != 0,
            checkedState: tracestate.flatMap(TraceStateText.checked), isRandom: parsed.flags & 2 != 0)
    }

    /// Reads what a message carried; nil if there is no `traceparent`, more than one, or a malformed one.
    public init?(headers: HTTPHeaders) {
        let parents = headers.values(for: "traceparent")
        guard parents.count == 1 else { return nil }
        self.init(traceparent: parents[0], tracestate: headers["tracestate"])
    }

    private init(traceID: TraceID, spanID: SpanID, isSampled: Bool, checkedState: String?, isRandom: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        traceState = checkedState
        self.isRandom = isRandom
    }

    /// The value of a `traceparent` field: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    public var traceparent: String {
        "00-\(traceID)-\(spanID)-0\((isSampled ? 1 : 0) + (isRandom ? 2 : 0))"
    }

    /// An operation within this one: the same trace, a new span.
    public func child() -> TraceContext {
        TraceContext(
            traceID: traceID, spanID: .random(), isSampled: isSampled, checkedState: traceState, isRandom: isRandom)
    }
}

extension TraceContext: CustomStringConvertible {
    /// ``traceparent``.
    public var description: String { traceparent }
}

extension RequestContext {
    /// The trace to which the request belongs: what was set here, else ``TraceContext/current``.
    ///
    /// Behind a `TracePropagationInterceptor` its ``TraceContext/spanID`` is the one that is sent. For those further out, the sent request
    /// has it: `traceparent` is in `TransportResponse.request` and ``NetworkFailure/request``.
    public var traceContext: TraceContext? {
        get { self[TraceContextKey.self] ?? TraceContext.current }
        set { self[TraceContextKey.self] = newValue }
    }
}

private enum TraceContextKey: RequestContextKey {
    static let defaultValue: TraceContext? = nil
}
