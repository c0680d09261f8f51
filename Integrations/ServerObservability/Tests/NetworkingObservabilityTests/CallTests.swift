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

/// One call at a time against a real server: its spans, metrics and log messages together.
@Suite(.timeLimit(.minutes(2))) struct CallTests {
    @Test func aPlainCall() async throws {
        let server = try MockServer { _ in .text("hello") }
        let lab = Lab(server)
        try await lab.get("/users/1?page=2")

        let call = try #require(lab.callSpans.first)
        let attempt = try #require(lab.clientSpans.first)
        #expect(lab.spans.count == 2)
        #expect(call.operationName == "GET" && attempt.operationName == "GET")
        #expect(attempt.parentSpanID == call.spanID && call.parentSpanID == nil)
        #expect(attempt["http.request.method"] == "GET")
        #expect(attempt["server.address"] == "127.0.0.1")
        #expect(attempt["server.port"] == "\(server.port)")
        #expect(
            attempt["url.full"] == "\(server.url)/users/1?page=2".replacingOccurrences(of: "//users", with: "/users"))
        #expect(attempt["http.response.status_code"] == "200")
        #expect(attempt["network.protocol.version"] == "1.1")
        #expect(attempt["network.peer.address"] == "127.0.0.1")
        #expect(attempt["network.peer.port"] == "\(server.port)")
        #expect(attempt["http.request.resend_count"] == nil && attempt["error.type"] == nil)
        #expect(attempt.status == nil && attempt.errors.isEmpty)

        // The server's parent is the attempt, not the call.
        let sent = try #require(server.requests.first)
        let trace = try #require(TraceContext(headers: sent.headers))
        #expect("\(trace.spanID)" == attempt.spanID && "\(trace.traceID)" == call.traceID)

        let timer = try #require(lab.timers.first)
        #expect(lab.timers.count == 1 && timer.values.count == 1)
        let labels = [
            "http.request.method": "GET", "server.address": "127.0.0.1", "server.port": "\(server.port)",
            "url.scheme": "http",
            "http.response.status_code": "200", "network.protocol.version": "1.1",
        ]
        #expect(Dictionary(timer.dimensions.map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first }) == labels)
        #expect(lab.metrics.recorders(label: "http.client.response.body.size").first?.values == [5])
        #expect(lab.metrics.recorders(label: "http.client.request.body.size").isEmpty)
        #expect(lab.activeRequests == 0)
        #expect(lab.metrics.meters(label: "http.client.active_requests").first?.values.contains(1) == true)

        let entry = try #require(lab.log.entries.first)
        #expect(lab.log.entries.count == 1 && entry.level == .info && entry.message == "request completed")
        #expect(entry.metadata["http.request.method"] == "GET" && entry.metadata["server.address"] == "127.0.0.1")
        #expect(entry.metadata["http.response.status_code"].map { "\($0)" } == "200")
        #expect(entry.metadata["networking.call.id"].map { "\($0)" }?.hasPrefix("#") == true)
        #expect(entry.metadata["networking.call.duration"] != nil && entry.metadata["url.full"] != nil)
        await server.stop()
    }

    @Test func spansAreInTheCallersTrace() async throws {
        let server = try MockServer { _ in .ok }
        let lab = Lab(server)
        var parent: (any Tracing.Span)?
        try await lab.tracer.withSpan("handler") { span in
            parent = span
            try await lab.get("/")
        }
        let call = try #require(lab.callSpans.first { $0.operationName == "GET" })
        #expect(call.parentSpanID == parent?.context.inMemorySpanContext?.spanID)
        #expect(Set(lab.spans.map(\.traceID)).count == 1)
        await server.stop()
    }

    @Test func aRequestBodyIsCounted() async throws {
        let server = try MockServer { _ in .ok }
        let lab = Lab(server)
        var request = lab.request("/")
        request.httpMethod = "POST"
        request.httpBody = Data(count: 1_000)
        _ = try await lab.client.response(for: request)
        #expect(lab.metrics.recorders(label: "http.client.request.body.size").first?.values == [1_000])
        await server.stop()
    }

    @Test(arguments: [(404, Logger.Level.warning), (500, .error)])
    func aStatusIsAnError(_ status: Int, _ level: Logger.Level) async throws {
        let server = try MockServer { _ in .status(status) }
        let lab = Lab(server)
        try await lab.get("/")
        for span in lab.spans {
            #expect(span.status?.code == .error && span["error.type"] == "\(status)" && span.errors.isEmpty)
        }
        #expect(lab.spans.count == 2)
        #expect(lab.timers.first?["error.type"] == "\(status)")
        #expect(lab.log.entries.map(\.level) == [level])
        await server.stop()
    }

    @Test func aRetryHasASpanOfItsOwn() async throws {
        let server = try MockServer()
        server.enqueue(.status(503), .ok)
        let lab = Lab(server, level: .debug) { _ in
        } configure: {
            $0.retryPolicy = .default
        }
        let response = try await lab.get("/")
        #expect(response.status == 200)
        #expect(lab.callSpans.count == 1 && lab.callSpans.first?.status == nil)
        #expect(lab.callSpans.first?["http.response.status_code"] == "200")
        #expect(lab.clientSpans.map { $0["http.response.status_code"] } == ["503", "200"])
        #expect(lab.clientSpans.map { $0["http.request.resend_count"] } == [nil, "1"])
        #expect(lab.clientSpans.allSatisfy { $0.parentSpanID == lab.callSpans.first?.spanID })
        let sent = server.requests.compactMap { TraceContext(headers: $0.headers).map { "\($0.spanID)" } }
        #expect(sent == lab.clientSpans.map(\.spanID))
        #expect(Set(lab.timers.map { $0["http.response.status_code"] }) == ["503", "200"])
        let retries = lab.metrics.counters(label: "networking.client.retries")
        #expect(retries.map(\.totalValue) == [1])
        #expect(retries.first?.dimensions.contains { $0 == ("networking.retry.reason", "policy") } == true)
        #expect(
            lab.log.entries.map { "\($0.message)" } == ["attempt completed", "attempt completed", "request completed"])
        #expect(lab.log.entries.last?.metadata["http.request.resend_count"].map { "\($0)" } == "1")
        await server.stop()
    }

    @Test func aRedirectHasASpanOfItsOwn() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/there"), .ok)
        let lab = Lab(server)
        try await lab.get("/here")
        #expect(lab.clientSpans.map { $0["http.response.status_code"] } == ["302", "200"])
        #expect(lab.clientSpans.map { $0["http.request.resend_count"] } == [nil, "1"])
        #expect(lab.clientSpans.last?["url.full"]?.hasSuffix("/there") == true)
        #expect(lab.callSpans.count == 1 && lab.callSpans.first?["url.full"]?.hasSuffix("/here") == true)
        #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.headers["traceparent"] != nil })
        await server.stop()
    }

    @Test func aCacheHitHasNoClientSpan() async throws {
        let server = try MockServer { _ in .text("kept").header("Cache-Control", "max-age=600") }
        let lab = Lab(server) { _ in
        } configure: {
            $0.cache = ResponseCache(maxEntries: 10)
        }
        try await lab.get("/")
        #expect(lab.metrics.counters(label: "networking.client.cache.hits").isEmpty)
        try await lab.get("/")
        #expect(server.requests.count == 1)
        #expect(lab.callSpans.count == 2 && lab.clientSpans.count == 1)
        #expect(lab.clientSpans.first?.parentSpanID == lab.callSpans.first?.spanID)
        #expect(lab.timers.map(\.values.count) == [1])
        #expect(lab.metrics.counters(label: "networking.client.cache.hits").map(\.totalValue) == [1])
        #expect(lab.log.entries.count == 2)
        await server.stop()
    }

    @Test func theHitOfAProxyIsNotOurs() async throws {
        let server = try MockServer { _ in .text("kept").header("Cache-Status", "proxy; hit") }
        let lab = Lab(server)
        try await lab.get("/")
        #expect(lab.log.entries.count == 1)
        #expect(lab.metrics.counters(label: "networking.client.cache.hits").isEmpty)
        await server.stop()
    }

    @Test func aServerThatIsGone() async throws {
        let server = try MockServer()
        let lab = Lab(server)
        await server.stop()
        let failure = await #expect(throws: NetworkFailure.self) { try await lab.get("/") }
        let code = try #require(failure?.errorType)
        #expect(code == "connection_refused")
        let attempt = try #require(lab.clientSpans.first)
        #expect(attempt["error.type"] == code && attempt.status?.code == .error && attempt.errors.count == 1)
        #expect(attempt["http.response.status_code"] == nil)
        #expect(lab.callSpans.first?["error.type"] == code)
        #expect(lab.timers.map { $0["error.type"] } == [code])
        #expect(lab.timers.first?["http.response.status_code"] == nil)
        #expect(lab.log.entries.map(\.level) == [.error])
        #expect(lab.log.entries.first?.metadata["error.message"] != nil)
        #expect(lab.activeRequests == 0)
    }

    @Test func aCancelledCall() async throws {
        let server = try MockServer { _ in .ok.delayed(by: 60) }
        let lab = Lab(server) { _ in
        } configure: {
            $0.clock = .system
        }
        let call = Task { try await lab.get("/") }
        _ = try await server.takeRequest()
        #expect(lab.activeRequests == 1 && lab.tracer.base.activeSpans.count == 2)
        call.cancel()
        await #expect(throws: NetworkFailure.self) { try await call.value }
        #expect(lab.spans.count == 2 && lab.tracer.base.activeSpans.isEmpty)
        #expect(lab.spans.allSatisfy { $0["error.type"] == "cancelled" })
        #expect(lab.timers.map { $0["error.type"] } == ["cancelled"])
        #expect(lab.log.entries.map { "\($0.level) \($0.message)" } == ["info request cancelled"])
        #expect(lab.activeRequests == 0)
        await server.stop()
    }

    /// A redirect, a retry, and a cache, in one call, then a hit, then a cancelled call.
    @Test func allTogether() async throws {
        let ends = Numbers()
        let server = try MockServer { request in
            switch request.path {
            case "/start": .redirect(to: "/end")
            case "/slow": .ok.delayed(by: 60)
            default: ends.next(digits: 1) == "1" ? .status(503) : .text("end").header("Cache-Control", "max-age=600")
            }
        }
        let lab = Lab(server) { _ in
        } configure: {
            $0.retryPolicy = .default
            $0.cache = ResponseCache(maxEntries: 10)
        }
        try await lab.get("/start")
        #expect(lab.clientSpans.map { $0["http.response.status_code"] } == ["302", "503", "200"])
        #expect(lab.clientSpans.map { $0["http.request.resend_count"] } == [nil, "1", "2"])
        try await lab.get("/end")
        #expect(lab.clientSpans.count == 3 && lab.callSpans.count == 2)

        let call = Task { try await lab.get("/slow") }
        while server.requests.last?.path != "/slow" { _ = try await server.takeRequest() }
        call.cancel()
        await #expect(throws: NetworkFailure.self) { try await call.value }
        #expect(lab.callSpans.map { $0["error.type"] } == [nil, nil, "cancelled"])
        #expect(lab.tracer.base.activeSpans.isEmpty && lab.activeRequests == 0)
        #expect(lab.metrics.counterTotal(label: "networking.client.cache.hits") == 1)
        #expect(lab.metrics.counterTotal(label: "networking.client.retries") == 1)
        await server.stop()
    }

    @Test func aHundredCallsAtOnce() async throws {
        let server = try MockServer { request in .text(request.path) }
        let lab = Lab(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await lab.get("/\(number)") } }
            try await group.waitForAll()
        }
        #expect(lab.callSpans.count == 100 && lab.clientSpans.count == 100)
        let calls = Dictionary(uniqueKeysWithValues: lab.callSpans.map { ($0.spanID, $0["url.full"]) })
        #expect(lab.clientSpans.allSatisfy { $0.parentSpanID.flatMap { calls[$0] } == $0["url.full"] })
        #expect(Set(lab.clientSpans.compactMap(\.parentSpanID)).count == 100)
        #expect(lab.timers.map(\.values.count) == [100])
        #expect(lab.log.entries.count == 100 && lab.activeRequests == 0)
        await server.stop()
    }
}
