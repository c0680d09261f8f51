import CoreMetrics
import Instrumentation
import Logging
import NetCore
import Tracing

/// Answers at once, with what a transport reports of an exchange on an open connection.
struct InstantTransport: HTTPTransport {
    private static let body = HTTPBody(#"{"id": 1, "name": "Leia"}"#)
    private static let metrics: TransportResponse.Metrics = {
        var metrics = TransportResponse.Metrics()
        metrics.total = 0.001
        metrics.bytesReceived = 25
        metrics.isReusedConnection = true
        metrics.remoteAddress = "192.0.2.1:443"
        return metrics
    }()

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        TransportResponse(status: 200, url: request.url, version: .http2, body: Self.body, metrics: Self.metrics)
    }
}

/// An interceptor that does nothing: what a seat in the pipeline costs by itself.
struct EmptyInterceptor: HTTPInterceptor {
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse { try await next(request) }
}

struct DiscardingHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.info

    func log(event: LogEvent) {}

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}

/// A backend that adds numbers. The benchmark sends one request at a time, so it needs no lock.
final class SummingMetrics: MetricsFactory, CounterHandler, RecorderHandler, TimerHandler, MeterHandler,
    @unchecked Sendable
{
    private var sum = 0.0

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { self }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { self }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { self }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { self }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func increment(by amount: Int64) { sum += Double(amount) }
    func reset() { sum = 0 }
    func record(_ value: Int64) { sum += Double(value) }
    func record(_ value: Double) { sum += value }
    func recordNanoseconds(_ duration: Int64) { sum += Double(duration) }
    func set(_ value: Int64) { sum = Double(value) }
    func set(_ value: Double) { sum = value }
    func increment(by amount: Double) { sum += amount }
    func decrement(by amount: Double) { sum -= amount }
}

/// Starts spans that keep their attributes, and injects a constant `traceparent`; or spans that record nothing, as of an unsampled trace.
struct PlainTracer: Tracer {
    let isRecording: Bool
    private static let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> PlainSpan {
        PlainSpan(operationName, context(), isRecording: isRecording, start: instant().nanosecondsSinceEpoch)
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    )
    where Inject.Carrier == Carrier {
        injector.inject(Self.traceparent, forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    )
    where Extract.Carrier == Carrier {}
}

/// Used by one task at a time, so it needs no lock.
final class PlainSpan: Tracing.Span, @unchecked Sendable {
    private enum Key: ServiceContextKey { typealias Value = UInt64 }

    let context: ServiceContext
    let isRecording: Bool
    var operationName: String
    var attributes: SpanAttributes = [:]
    private var status: SpanStatus?
    private let start: UInt64
    private var end: UInt64 = 0

    init(_ name: String, _ parent: ServiceContext, isRecording: Bool, start: UInt64) {
        operationName = name
        self.isRecording = isRecording
        self.start = start
        var context = parent
        context[Key.self] = start
        self.context = context
    }

    func setStatus(_ status: SpanStatus) { self.status = status }
    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { end = instant().nanosecondsSinceEpoch }
}
