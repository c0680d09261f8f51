import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetLogging

final class RecordingObserver: MetricsObserver {
    private let kept = Locked<[CallMetrics]>([])
    var calls: [CallMetrics] { kept.withLock { $0 } }
    func record(_ call: CallMetrics) { kept.withLock { $0.append(call) } }
}

@Suite struct CallMetricsTests {
    private let observer = RecordingObserver()
    private let summary = CallMetrics.Summary()
    private let clock = HandClock()
    private let request: URLRequest
    init() throws { request = try URLRequest("https://a.example/x?token=S3CR3T") }

    private func client(
        retryPolicy: RetryPolicy = .none, interceptors: [any HTTPInterceptor] = [],
        _ respond: @escaping @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse
    ) -> NetworkClient {
        NetworkClient(
            interceptors: interceptors, retryPolicy: retryPolicy, transport: StubTransport(respond),
            callInterceptors: [MetricsInterceptor(observers: [observer, summary])], clock: clock)
    }

    @Test func metricsHaveTheRetryAndItsReason() async throws {
        let policy = RetryPolicy(maxRetries: 2, delay: .fixed(3))
        let client = client(retryPolicy: policy) { [clock] request, _, context in
            clock.advance(by: 0.5)
            var metrics = TransportResponse.Metrics()
            (metrics.nameLookup, metrics.connect, metrics.secureConnect) = (0.1, 0.15, 0.3)
            (metrics.requestStart, metrics.firstByte, metrics.total) = (0.31, 0.41, 0.5)
            (metrics.bytesSent, metrics.bytesReceived, metrics.remoteAddress) = (3, 7, "192.0.2.1:443")
            return TransportResponse(
                status: context.attempt == 0 ? 503 : 200, url: request.url, version: .http2, metrics: metrics)
        }
        _ = try await client.response(for: request)
        let call = try #require(observer.calls.first)
        #expect((observer.calls.count, call.host, call.outcome) == (1, "a.example", .status(200)))
        #expect(call.url == "https://a.example/x?token=[REDACTED]")
        #expect((call.exchanges.map(\.attempt), call.exchanges.map(\.status)) == ([0, 1], [503, 200]))
        #expect((call.retries.map(\.reason), call.retries.map(\.statusCode)) == ([.policy], [503]))
        let second = call.exchanges[1]
        func near(_ value: TimeInterval?, _ expected: TimeInterval) -> Bool { abs((value ?? .nan) - expected) < 1e-6 }
        // HandClock's sleep takes no time, so what was waited is a pause and no queue.
        #expect(near(second.queue, 0) && near(second.nameLookup, 0.1) && near(second.connect, 0.05))
        #expect(near(second.secureConnect, 0.15) && near(second.firstByte, 0.1) && near(second.transfer, 0.09))
        #expect(near(second.total, 0.5) && near(second.start, 0.5) && near(call.duration, 1))
        #expect((second.version, second.remoteAddress) == (.http2, "192.0.2.1:443"))
        #expect((call.bytesSent, call.bytesReceived) == (6, 14))
    }

    @Test func timeInTheClientIsQueueTime() async throws {
        struct Slow: HTTPInterceptor {
            let clock: HandClock
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                clock.advance(by: 2)
                return try await next(request)
            }
        }
        let client = client(interceptors: [Slow(clock: clock)]) { _, _, _ in TransportResponse(status: 200, url: nil) }
        _ = try await client.response(for: request)
        let exchange = try #require(observer.calls.first?.exchanges.first)
        #expect(abs(exchange.queue - 2) < 1e-6 && exchange.firstByte == nil)
    }

    @Test func redirectIsAnExchangeOfItsOwn() async throws {
        let client = client { request, _, _ in
            let isFirst = request.url?.path == "/x"
            let headers: HTTPHeaders =
                isFirst ? ["Location": "/y"] : ["Cache-Status": "Networking; fwd=uri-miss; stored"]
            return TransportResponse(status: isFirst ? 302 : 200, headers: headers, url: request.url)
        }
        _ = try await client.response(for: request)
        let call = try #require(observer.calls.first)
        #expect((call.exchanges.map(\.status), call.exchanges.map(\.attempt)) == ([302, 200], [0, 0]))
        #expect(call.exchanges.last?.url == "https://a.example/y" && call.retries.isEmpty)
        #expect(call.cache == .forwarded(reason: "uri-miss"))
    }

    @Test func failuresAndCancellations() async throws {
        let client = client { _, _, _ in throw TransportError(.nameNotResolved, phase: .resolving, message: "no") }
        _ = try? await client.response(for: request)
        #expect(observer.calls.last?.outcome == .failure(code: "name_not_resolved"))
        #expect(observer.calls.last?.exchanges.first?.errorCode == "name_not_resolved")
        _ = try? await self.client { _, _, _ in throw CancellationError() }.response(for: request)
        #expect(observer.calls.last?.outcome == .cancelled && observer.calls.map(\.isFailure) == [true, false])
        let total = summary.total
        #expect((total.calls, total.failures, total.cancellations) == (2, 1, 1))
    }

    /// A stream is over when it was read to its end, when reading fails, or when nobody will read it.
    @Test func streamEndsWhenItsBodyWasRead() async throws {
        let client = client { [clock] _, _, _ in
            let rest = Locked([Data([1]), Data([2])][...])
            let body = HTTPBody(pulling: {
                clock.advance(by: 1)
                return rest.withLock { $0.popFirst() }
            })
            return TransportResponse(status: 200, url: nil, body: body)
        }
        let response = try await client.send(request)
        #expect(observer.calls.isEmpty)
        for try await _ in response.body {}
        let call = try #require(observer.calls.first)
        #expect(observer.calls.count == 1 && abs(call.duration - 3) < 1e-6 && abs(call.timeToHead) < 1e-6)
        do { _ = try await client.send(request) }
        #expect(observer.calls.count == 2)
        let body = HTTPBody(pulling: { throw TransportError(.connectionReset, phase: .receivingBody, message: "") })
        let failing = self.client { _, _, _ in TransportResponse(status: 200, url: nil, body: body) }
        _ = try? await failing.send(request).body.collect(upTo: 10)
        #expect(observer.calls.last?.outcome == .failure(code: "connection_reset"))
    }

    @Test func overARealConnection() async throws {
        let server = try MockServer { _ in .text("hello") }
        let client = NetworkClient(callInterceptors: [MetricsInterceptor(observers: [observer])])
        for _ in 0..<2 { _ = try await client.data(for: URLRequest(url: server.url("/"))) }
        let exchanges = observer.calls.flatMap(\.exchanges)
        #expect(exchanges.map(\.isReusedConnection) == [false, true])
        #expect(exchanges.allSatisfy { $0.firstByte != nil && $0.transfer != nil && $0.bytesReceived == 5 })
        #expect(exchanges[0].connect != nil && exchanges[1].connect == nil)
        #expect(exchanges[0].remoteAddress == "127.0.0.1:\(server.port)")
    }

    @Test func summaryHasALimitedNumberOfHosts() {
        let summary = CallMetrics.Summary(maximumHostCount: 2)
        for host in ["a", "b", "c", "a"] {
            summary.record(
                CallMetrics(
                    id: RequestContext.ID(), method: "GET", url: "", host: host, start: Date(), duration: 1,
                    timeToHead: 1, outcome: .status(500), exchanges: [], retries: [], cache: .hit))
        }
        #expect((summary.hosts, summary.aggregate(for: "a")?.calls) == (["a", "b"], 2))
        #expect(summary.aggregate(for: "c") == nil)
        let total = summary.total
        #expect((total.calls, total.failures, total.cacheHits, total.duration.percentile(0.5)) == (4, 4, 4, 1))
        summary.reset()
        #expect(summary.total == CallMetrics.Summary.Aggregate())
    }

    @Test(arguments: [
        ("Networking; hit; ttl=30", CallMetrics.CacheState.hit),
        ("CDN; hit, Networking; fwd=uri-miss; stored", .forwarded(reason: "uri-miss")),
        ("Networking; fwd=stale; fwd-status=304", .revalidated), ("Networking", nil), ("", nil), ("x; fwd=\u{1}", nil),
        ("x; fwd=", nil),
    ]) func cacheStates(_ field: String, state: CallMetrics.CacheState?) {
        #expect(CallMetrics.CacheState(cacheStatus: field) == state)
    }
}

@Suite struct HistogramTests {
    @Test func percentilesAreRightToFivePercent() throws {
        var generator = SeededGenerator(state: 3)
        var histogram = CallMetrics.Summary.Histogram()
        var all: [Double] = []
        for _ in 0..<10_000 {
            let time = pow(10, Double.random(in: -5...3, using: &generator))
            all.append(time)
            histogram.add(time)
        }
        all.sort()
        for fraction in [0.01, 0.5, 0.9, 0.99, 0.999, 1] {
            let exact = all[Int((10_000 * fraction).rounded(.up)) - 1]
            let found = try #require(histogram.percentile(fraction))
            #expect(found >= exact * 0.9999 && found <= exact * 1.051, "\(fraction): \(found) for \(exact)")
        }
        #expect(histogram.count == 10_000 && abs(histogram.sum - all.reduce(0, +)) < 0.001)
        #expect(histogram.maximum == all.last)
    }

    @Test func oddNumbers() {
        var histogram = CallMetrics.Summary.Histogram()
        #expect((histogram.percentile(0.5), histogram.mean) == (nil, nil))
        for time in [-1, .nan, 0, .infinity, 1e300] { histogram.add(time) }
        #expect(histogram.count == 5)
        #expect(histogram.percentile(0) == 1e-6, "the shortest that is told apart")
        #expect((histogram.percentile(0.5), histogram.percentile(7)?.isFinite) == (1e-6, true))
        #expect(histogram.percentile(.nan) == nil)
    }
}
