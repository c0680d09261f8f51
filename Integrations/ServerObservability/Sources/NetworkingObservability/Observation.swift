import Instrumentation
import NetClient
import NetCore
import Tracing

/// The settings of one client and what its calls share.
final class Observation: Sendable {
    let settings: Observability
    private let targets: TargetTable
    /// The servers of ``Observability/propagation``.
    private let origins: Set<Server>
    private let fixedTools: TraceTools?

    init(_ settings: Observability) {
        self.settings = settings
        targets = TargetTable(maximumServers: settings.maximumServers, maximumTemplates: settings.maximumTemplates)
        if case .origins(let urls) = settings.propagation { origins = Set(urls.map(Server.init)) } else { origins = [] }
        if case .tracer(let tracer) = settings.tracer, !(tracer is NoOpTracer) {
            fixedTools = TraceTools(tracer: tracer, instrument: tracer)
        } else {
            fixedTools = nil
        }
    }

    /// Whether anything is observed at all.
    var isActive: Bool {
        if settings.logger != nil { return true }
        if case .off = settings.metrics, case .off = settings.tracer { return false }
        return true
    }

    func target(of url: String, _ request: URLRequest, template: String?) -> Target {
        targets.target(
            of: url, method: request.httpMethod ?? "GET", template: template ?? settings.urlTemplate?(request))
    }

    /// Whether a call has anything to tell now: the program may not have bootstrapped its systems.
    func hasReceivers(_ tools: TraceTools?) -> Bool {
        settings.logger != nil || tools != nil || settings.metrics.current != nil
    }

    /// The tracer and the instrument, or nil if there is none, so that a call starts no spans.
    var traceTools: TraceTools? {
        guard case .system = settings.tracer else { return fixedTools }
        let instrument = InstrumentationSystem.instrument
        guard type(of: instrument) != NoOpInstrument.self else { return nil }
        // In a `MultiplexInstrument` the system finds it.
        let tracer = instrument as? any Tracer ?? InstrumentationSystem.tracer
        return TraceTools(tracer: tracer, instrument: instrument)
    }

    /// Whether a URL may receive the trace of its call.
    func propagates(to url: String, of context: RequestContext) -> Bool {
        switch settings.propagation {
        case .everywhere: return true
        case .origins: return origins.contains(Server(origin: Server.origin(of: url)))
        case .callOrigin:
            guard let start = context.origin?.absoluteString, start != url else { return true }
            let (first, second) = (Server.origin(of: start), Server.origin(of: url))
            return first == second || Server(origin: first) == Server(origin: second)
        }
    }
}

/// A tracer, and the instrument that writes its context into requests.
struct TraceTools: Sendable {
    let tracer: any Tracer
    let instrument: any Instrument

    func inject(_ context: ServiceContext, into request: inout URLRequest) {
        instrument.inject(context, into: &request, using: HeaderInjector())
    }
}

/// Writes the fields of a trace, such as `traceparent`, into a request. A field of the same name is replaced: the attempt's span is the
/// parent of the server's.
private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout URLRequest) {
        var fields = carrier.allHTTPHeaderFields ?? [:]
        let isNew = fields.keys.allSatisfy { $0.utf8.count != key.utf8.count || $0.lowercased() != key.lowercased() }
        // On Linux, `setValue` takes several times as long as the assignment of all fields.
        guard isNew else { return carrier.setValue(value, forHTTPHeaderField: key) }
        fields[key] = value
        carrier.allHTTPHeaderFields = fields
    }
}

/// What the attempts of a call know of it.
final class CallState: Sendable {
    /// The call that the current task serves.
    @TaskLocal static var current: CallState?

    let id: RequestContext.ID
    let start: TimeInterval
    let url: String
    let method: String?
    let target: Target
    let tools: TraceTools?
    let span: (any Tracing.Span)?
    private let exchanges = Guarded(Exchanges())

    private struct Exchanges {
        var count = 0
        var streamed: StreamedResponse?
    }

    /// A response whose size is known when its body has been read.
    struct StreamedResponse {
        let target: Target
        let outcome: Outcome
        /// Without its body, which would hold the connection. The metrics are completed all the same.
        let head: TransportResponse
    }

    init(
        _ request: URLRequest, _ context: RequestContext, url: String, target: Target, tools: TraceTools?,
        span: (any Tracing.Span)?
    ) {
        id = context.id
        start = context.clock.uptime
        self.url = url
        method = request.httpMethod
        self.target = target
        self.tools = tools
        self.span = span
    }

    /// Counts an exchange and returns the number of those before it.
    func begin() -> Int {
        exchanges.withLock { exchanges in
            defer { exchanges.count += 1 }
            return exchanges.count
        }
    }

    /// The number of exchanges so far.
    var count: Int { exchanges.withLock(\.count) }

    /// The last response, if its body is a stream.
    var streamed: StreamedResponse? {
        get { exchanges.withLock(\.streamed) }
        set { exchanges.withLock { $0.streamed = newValue } }
    }
}
