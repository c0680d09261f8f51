import CoreMetrics
import Logging
import NetCore
import Tracing

/// Where requests go, as labels: method, server, and template. It keeps what all its requests share.
final class Target: Sendable {
    /// The names of spans: `GET`, or `GET /users/{id}`. `HTTP` stands for an unknown method (OpenTelemetry, HTTP spans, "Name").
    let spanName: String
    /// Whether the method's own name has to be an attribute of the span.
    let isOtherMethod: Bool
    let hasTemplate: Bool
    /// The attributes of all its spans. They have room for those of a request, so that adding them moves nothing.
    let attributes: SpanAttributes
    /// The metadata of all its log messages.
    let metadata: Logger.Metadata
    private let labels: [(String, String)]
    private let instruments = Guarded(Instruments())

    init(_ server: Server, method: String, template: String?) {
        isOtherMethod = method == Server.other
        hasTemplate = template != nil
        let name = isOtherMethod ? "HTTP" : method
        spanName = template.map { "\(name) \($0)" } ?? name
        var labels = [(Attribute.method, method)] + server.labels
        var attributes = [
            Attribute.method: SpanAttribute.string(method), Attribute.serverAddress: .string(server.address),
        ]
        if let port = server.port { attributes[Attribute.serverPort] = .int64(Int64(port)) }
        if let template {
            labels.append((Attribute.template, template))
            attributes[Attribute.template] = .string(template)
        }
        self.labels = labels
        var metadata = Logger.Metadata(minimumCapacity: 12)
        for (name, value) in labels where name != Attribute.scheme { metadata[name] = .string(value) }
        self.metadata = metadata
        attributes.reserveCapacity(14)
        self.attributes = SpanAttributes(attributes)
    }
}

/// The end of an exchange, as labels.
struct Outcome: Hashable, Sendable {
    /// Nil without a response, and for a status that is not between 100 and 599.
    var status: Int?
    /// `1.1`, `2`, `3`; nil without a response, and for other versions.
    var version: String?
    /// The cause of an error: see `NetworkError.errorType`.
    var error: String?

    init(_ response: TransportResponse) {
        status = (100..<600).contains(response.status) ? response.status : nil
        switch response.version {
        case .http1_1: version = "1.1"
        case .http2: version = "2"
        case .http3: version = "3"
        case .http1_0: version = "1.0"
        default: version = nil
        }
    }

    init(_ error: any Error) {
        self.error = NetworkError(error).errorType
    }

    /// Stands for outcomes beyond the limit.
    fileprivate static let other: Outcome = {
        var outcome = Outcome(CancellationError())
        outcome.error = Server.other
        return outcome
    }()

    /// The value of `error.type`: the error's code, or the status from 400 as text (OpenTelemetry, HTTP client). Nil for a success.
    var errorType: String? { error ?? status.flatMap { $0 >= 400 ? "\($0)" : nil } }
}

/// The instruments of one target. Each is made once: to make one costs a dictionary of labels and a lookup in the backend.
private struct Instruments {
    struct OfOutcome {
        var duration: CoreMetrics.Timer
        var requestSize: Recorder?
        var responseSize: Recorder?

        /// Whether those of the sizes that are needed were made.
        func has(_ sizes: (request: Bool, response: Bool)) -> Bool {
            (!sizes.request || requestSize != nil) && (!sizes.response || responseSize != nil)
        }
    }

    var factory: (any MetricsFactory)?
    var active: Meter?
    var outcomes: [Outcome: OfOutcome] = [:]
    /// The outcome of the last exchange, which is mostly that of the next.
    var last: (outcome: Outcome, instruments: OfOutcome)?
    var counters: [String: Counter] = [:]

    /// A server chooses its statuses, so their number is bounded.
    static let maximumOutcomes = 64
}

extension Target {
    /// Counts an exchange that begins. Returns the gauge to decrement at its end, or nil if metrics are off.
    func begin(_ destination: Observability.MetricsDestination) -> Meter? {
        instruments.withLock { instruments -> Meter? in
            if let active = instruments.active { return active }
            guard let factory = destination.current else { return nil }
            let active = Meter(label: Metric.activeRequests, dimensions: labels, factory: factory)
            instruments.factory = factory
            instruments.active = active
            return active
        }?
        .incremented()
    }

    /// Records an exchange that ended.
    ///
    /// - Parameters:
    ///   - outcome: its end.
    ///   - seconds: its duration.
    ///   - sent: bytes of the request's body; nil without a body or if unknown.
    ///   - received: bytes of the response's body on the wire; nil if unknown.
    func record(_ outcome: Outcome, seconds: Double, sent: Int64?, received: Int64?) {
        guard let instruments = instruments(of: outcome, sizes: (sent != nil, received != nil)) else { return }
        instruments.duration.recordNanoseconds(Self.nanoseconds(seconds))
        if let sent { instruments.requestSize?.record(sent) }
        if let received { instruments.responseSize?.record(received) }
    }

    /// Records the size of a streamed response, which is known at its end.
    func record(received: Int64, _ outcome: Outcome) {
        instruments(of: outcome, sizes: (false, true))?.responseSize?.record(received)
    }

    /// Increments a counter of calls, with a further label if there is one.
    func count(
        _ name: String, by label: (name: String, value: String)? = nil, in destination: Observability.MetricsDestination
    ) {
        instruments.withLock { instruments -> Counter? in
            let key = label.map { "\(name) \($0.value)" } ?? name
            if let counter = instruments.counters[key] { return counter }
            guard let factory = instruments.factory ?? destination.current else { return nil }
            let dimensions = labels + (label.map { [($0.name, $0.value)] } ?? [])
            let counter = Counter(label: name, dimensions: dimensions, factory: factory)
            instruments.counters[key] = counter
            return counter
        }?
        .increment()
    }

    /// Returns the instruments of an outcome, or nil if metrics are off.
    private func instruments(of outcome: Outcome, sizes: (request: Bool, response: Bool)) -> Instruments.OfOutcome? {
        instruments.withLock { state in
            guard let factory = state.factory else { return nil }
            if let last = state.last, last.outcome == outcome, last.instruments.has(sizes) { return last.instruments }
            let isFull = state.outcomes[outcome] == nil && state.outcomes.count >= Instruments.maximumOutcomes
            let known = isFull ? Outcome.other : outcome
            let dimensions = labels + known.labels
            var found =
                state.outcomes[known]
                ?? Instruments.OfOutcome(
                    duration: CoreMetrics.Timer(label: Metric.duration, dimensions: dimensions, factory: factory))
            if sizes.request, found.requestSize == nil {
                found.requestSize = Recorder(label: Metric.requestSize, dimensions: dimensions, factory: factory)
            }
            if sizes.response, found.responseSize == nil {
                found.responseSize = Recorder(label: Metric.responseSize, dimensions: dimensions, factory: factory)
            }
            state.outcomes[known] = found
            state.last = (known, found)
            return found
        }
    }

    /// A clock of the client's user may return any number.
    private static func nanoseconds(_ seconds: Double) -> Int64 {
        Int64(exactly: (max(0, seconds) * 1e9).rounded()) ?? 0
    }
}

extension Outcome {
    fileprivate var labels: [(String, String)] {
        var labels: [(String, String)] = []
        if let status { labels.append((Attribute.status, "\(status)")) }
        if let version { labels.append((Attribute.protocolVersion, version)) }
        if let errorType { labels.append((Attribute.errorType, errorType)) }
        return labels
    }
}

extension Meter {
    fileprivate func incremented() -> Meter {
        increment()
        return self
    }
}

extension Observability.MetricsDestination {
    /// The factory, or nil if metrics go nowhere.
    var current: (any MetricsFactory)? {
        switch self {
        case .off: return nil
        case .factory(let factory): return factory
        case .system:
            let factory = MetricsSystem.factory
            return factory is NOOPMetricsHandler ? nil : factory
        }
    }
}
