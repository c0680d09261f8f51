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

/// Which servers get the trace, which systems are used, and what never leaves.
@Suite(.timeLimit(.minutes(2))) struct SettingTests {
    @Test(arguments: [TracePropagationInterceptor.Scope.callOrigin, .everywhere, .origins([])])
    func redirectsToAnotherOrigin(_ scope: TracePropagationInterceptor.Scope) async throws {
        let other = try MockServer { _ in .ok }
        let server = try MockServer { _ in .redirect(to: other.url("/").absoluteString) }
        let lab = Lab(server) {
            // The list names the redirect's target only.
            if case .origins = scope { $0.propagation = .origins([other.url]) } else { $0.propagation = scope }
        }
        try await lab.get("/")
        let sent = [server, other].map { $0.requests.first?.headers["traceparent"] != nil }
        switch scope {
        case .callOrigin: #expect(sent == [true, false])
        case .everywhere: #expect(sent == [true, true])
        case .origins: #expect(sent == [false, true])
        }
        // The spans are there in any case.
        #expect(lab.clientSpans.count == 2)
        await server.stop()
        await other.stop()
    }

    /// Whatever the case of its name.
    @Test(arguments: ["traceparent", "TraceParent"]) func aFieldOfTheRequestIsReplaced(_ name: String) async throws {
        let server = try MockServer { _ in .ok }
        let lab = Lab(server)
        var request = lab.request("/")
        request.allHTTPHeaderFields = [name: "old", "X-Other": "kept"]
        _ = try await lab.client.response(for: request)
        let headers = server.requests.first?.headers
        #expect(headers?.values(for: "traceparent").count == 1 && headers?["traceparent"]?.hasPrefix("00-") == true)
        #expect(headers?["X-Other"] == "kept")
        await server.stop()
    }

    @Test func theBootstrappedSystems() async throws {
        let server = try MockServer { _ in .ok }
        let (tracer, metrics) = (W3CTracer(), TestMetrics())
        let client = NetworkClient(baseURL: server.url).observed(with: Observability(logger: nil))
        // Nothing is bootstrapped yet: no span, no field, no instrument.
        _ = try await client.response(for: URLRequest(url: server.url("/")))
        #expect(server.requests.first?.headers["traceparent"] == nil)
        try await withTracer(tracer) {
            try await withMetricsFactory(metrics) {
                _ = try await client.response(for: URLRequest(url: server.url("/")))
            }
        }
        #expect(tracer.base.finishedSpans.count == 2)
        #expect(metrics.timers(label: "http.client.request.duration").map(\.values.count) == [1])
        #expect(server.requests.last?.headers["traceparent"] != nil)
        await server.stop()
    }

    @Test func aNoOpTracerStartsNoSpans() async throws {
        let server = try MockServer { _ in .ok }
        let lab = Lab(server) { $0.tracer = .tracer(NoOpTracer()) }
        try await lab.get("/")
        #expect(lab.spans.isEmpty && lab.timers.count == 1 && lab.log.entries.count == 1)
        await server.stop()
    }

    @Test func observingTwiceCountsOnce() async throws {
        let server = try MockServer { _ in .ok }
        let lab = Lab(server)
        let metrics = TestMetrics()
        let again = lab.client.observed(with: Observability(logger: nil, metrics: .factory(metrics), tracer: .off))
        #expect(again.configuration.callInterceptors.count == 1 && again.configuration.interceptors.count == 1)
        _ = try await again.response(for: lab.request("/"))
        #expect(lab.timers.isEmpty && metrics.timers(label: "http.client.request.duration").count == 1)
        await server.stop()
    }

    @Test func quietLevelsLogNothing() async throws {
        let server = try MockServer { _ in .ok }
        let lab = Lab(server, level: .warning)
        try await lab.get("/")
        #expect(lab.log.entries.isEmpty && lab.timers.count == 1)
        await server.stop()
    }

    @Test func messagesAreLoggedInTheCallsContext() async throws {
        let server = try MockServer { _ in .ok }
        let handler = ContextHandler()
        let lab = Lab(server) { $0.logger = Logger(label: "context") { _ in handler } }
        try await lab.get("/")
        #expect(handler.spans == [lab.callSpans.first?.spanID])
        await server.stop()
    }

    /// Secrets in every place of a request and a response, in successes and failures, in all sinks at their most talkative.
    @Test func secretsNeverLeave() async throws {
        let secret = "s3cr3t-Zx81kQ0pLmW7vB2n"
        let server = try MockServer { request in
            switch request.path {
            case "/redirect": .redirect(to: "/end?token=\(secret)&X-Amz-Signature=\(secret)")
            case "/break": .bytes(count: 10_000).fault(.truncatedBody)
            case "/500": .text(secret, status: 500).header("Set-Cookie", "session=\(secret)")
            default: .text(secret).header("X-Token", secret).header("Set-Cookie", "session=\(secret)")
            }
        }
        let lab = Lab(server, level: .trace)
        var stopped = URLComponents(url: server.url, resolvingAgainstBaseURL: false)
        stopped?.port = 1
        let gone = try #require(stopped?.url).absoluteString
        for path in ["/ok", "/redirect", "/break", "/500", gone] {
            let base = path == gone ? "\(gone)" : server.url(path).absoluteString
            let text =
                base.replacingOccurrences(of: "http://", with: "http://user:\(secret)@")
                + "?sig=\(secret)&key=\(secret)#\(secret)"
            var request = URLRequest(url: try #require(URL(string: text)))
            request.httpMethod = "POST"
            request.httpBody = Data(secret.utf8)
            request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization")
            request.setValue("a=\(secret)", forHTTPHeaderField: "Cookie")
            request.setValue(secret, forHTTPHeaderField: "X-Custom")
            _ = try? await lab.client.response(for: request)
        }
        #expect(lab.callSpans.count == 5 && lab.clientSpans.count == 6)
        #expect(server.requests.contains { $0.target.contains(secret) })
        let text = lab.everything
        #expect(text.contains("127.0.0.1") && text.contains("sig=REDACTED") && text.contains("request failed"))
        #expect(!text.contains(secret))
        #expect(!text.contains("user:"))
    }

    @Test func theSinkMapsMessages() {
        let handler = ContextHandler()
        var logger = Logger(label: "sink") { _ in handler }
        logger.logLevel = .trace
        let sink = SwiftLogSink(logger: logger)
        for level in NetLogging.LogEvent.Level.allCases {
            sink.write(
                NetLogging.LogEvent(
                    level: level, category: "test", message: "m", privacy: .public, requestID: RequestContext.ID()))
        }
        #expect(handler.events.map(\.level) == [.debug, .info, .notice, .warning, .error, .critical])
        #expect(
            handler.events.allSatisfy {
                $0.metadata?["networking.call.id"] != nil && $0.metadata?["networking.category"] == "test"
            })
        sink.write(NetLogging.LogEvent(level: .info, message: "private", privacy: .private))
        #expect(handler.events.last?.message == "<private>")
        SwiftLogSink(logger: logger, showsPrivate: true).write(
            NetLogging.LogEvent(level: .info, message: "private", privacy: .sensitive))
        #expect(handler.events.last?.message == "private")
        let trace = TraceContext()
        sink.write(NetLogging.LogEvent(level: .info, message: "a\u{1B}[2J\nb", privacy: .public, traceContext: trace))
        #expect(handler.events.last?.message == "a\\u{1B}[2J\n    b")
        #expect(handler.events.last?.metadata?["trace_id"].map { "\($0)" } == "\(trace.traceID)")
        logger.logLevel = .error
        let count = handler.events.count
        SwiftLogSink(logger: logger).write(NetLogging.LogEvent(level: .info, message: "quiet", privacy: .public))
        #expect(handler.events.count == count)
    }

    @Test func theSinkOfALogger() async throws {
        let server = try MockServer { _ in .ok }
        let handler = ContextHandler()
        let network = NetworkLogger(sinks: [SwiftLogSink(logger: Logger(label: "sink") { _ in handler })])
        let client = NetworkClient(callInterceptors: [LoggingInterceptor(logger: network)])
        _ = try await client.response(for: URLRequest(url: server.url("/?token=abc")))
        await network.flush()
        #expect(handler.events.count == 2 && handler.events.allSatisfy { !"\($0.message)".contains("abc") })
        await server.stop()
    }
}

/// Keeps events, and the span in whose context each was logged.
final class ContextHandler: LogHandler, @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [(event: Logging.LogEvent, span: String?)] = []
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.info

    var events: [Logging.LogEvent] { lock.withLock { kept.map(\.event) } }
    var spans: [String?] { lock.withLock { kept.map(\.span) } }

    func log(event: Logging.LogEvent) {
        let span = ServiceContext.current?.inMemorySpanContext?.spanID
        lock.withLock { kept.append((event, span)) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
