import CoreMetrics
import InMemoryLogging
import InMemoryTracing
import Instrumentation
import Logging
import MetricsTestKit
import NetCache
import NetClient
import NetCore
import NetLogging
import NetTesting
import NetworkingObservability
import Testing
import Tracing

/// A server, and a client whose logs, metrics and spans are kept.
struct Lab {
    let server: MockServer
    let tracer = W3CTracer()
    let metrics = TestMetrics()
    let log = InMemoryLogHandler()
    let client: NetworkClient

    init(
        _ server: MockServer, level: Logger.Level = .info, _ observe: (inout Observability) -> Void = { _ in },
        configure: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) {
        self.server = server
        var configuration = NetworkClient.Configuration(baseURL: server.url)
        // The waits of retries take no time.
        configuration.clock = TestClock(autoAdvance: true)
        configure(&configuration)
        var logger = Logger(label: "lab") { [log] _ in log }
        logger.logLevel = level
        var observability = Observability(logger: logger, metrics: .factory(metrics), tracer: .tracer(tracer))
        observe(&observability)
        configuration.observe(with: observability)
        client = NetworkClient(configuration: configuration)
    }

    /// Sends a GET request and returns the response with its body collected.
    @discardableResult
    func get(_ path: String) async throws -> TransportResponse { try await client.response(for: request(path)) }

    func request(_ path: String) -> URLRequest { URLRequest(url: server.url(path)) }

    var spans: [FinishedInMemorySpan] { tracer.base.finishedSpans }
    /// In the order of their start.
    var callSpans: [FinishedInMemorySpan] { spans.filter { $0.kind == .internal }.inOrder }
    var clientSpans: [FinishedInMemorySpan] { spans.filter { $0.kind == .client }.inOrder }
    var timers: [TestTimer] { metrics.timers(label: "http.client.request.duration") }
    /// The sum of the gauges of active requests.
    var activeRequests: Double {
        metrics.meters(label: "http.client.active_requests").reduce(0) { $0 + ($1.lastValue ?? 0) }
    }

    /// All that left through a sink, as text.
    var everything: String {
        var parts = log.entries.map { "\($0.level) \($0.message) \($0.metadata) \(String(reflecting: $0.metadata))" }
        for span in spans {
            parts.append(span.operationName)
            span.attributes.forEach { parts.append("\($0)=\($1.text) \(String(reflecting: $1))") }
            for error in span.errors { parts.append("\(error.error) \(String(reflecting: error.error))") }
            parts.append("\(String(describing: span.status))")
        }
        var dumped = ""
        dump(log.entries, to: &dumped)
        dump(spans.map(\.attributes), to: &dumped)
        parts.append(dumped)
        parts +=
            (metrics.timers.map(\.dimensions) + metrics.recorders.map(\.dimensions) + metrics.meters.map(\.dimensions))
            .map { "\($0)" }
        return parts.joined(separator: "\n")
    }
}

extension [FinishedInMemorySpan] {
    /// In the order of their numbers, which is that of their start.
    var inOrder: Self { sorted { $0.spanID < $1.spanID } }
}

extension FinishedInMemorySpan {
    subscript(name: String) -> String? { attributes.get(name)?.text }
}

extension SpanAttribute {
    var text: String {
        switch self {
        case .string(let value): value
        case .int64(let value): "\(value)"
        case .stringConvertible(let value): "\(value)"
        default: "?"
        }
    }
}

extension TestTimer {
    subscript(name: String) -> String? { dimensions.first { $0.0 == name }?.1 }
}

/// Spans in memory, with `traceparent` on the wire (W3C Trace Context).
struct W3CTracer: Tracer {
    let base: InMemoryTracer

    init() {
        let numbers = Numbers()
        base = InMemoryTracer(
            idGenerator: .init(
                nextTraceID: { numbers.next(digits: 32) }, nextSpanID: { numbers.next(digits: 16) }))
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
        base.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line
        )
    }

    func forceFlush() { base.forceFlush() }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    )
    where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    )
    where Extract.Carrier == Carrier {}
}

/// Hands out numbers as hexadecimal text.
final class Numbers: @unchecked Sendable {
    private let lock = NSLock()
    private var last = 0

    func next(digits: Int) -> String {
        let number = lock.withLock {
            last += 1
            return last
        }
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}

/// Answers every request with 200, without a socket.
struct AnyAnswer: HTTPTransport {
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        TransportResponse(status: 200, url: request.url)
    }
}
