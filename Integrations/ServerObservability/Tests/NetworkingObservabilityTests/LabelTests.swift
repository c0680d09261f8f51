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

/// Labels are bounded, and read from any spelling of a URL.
@Suite(.timeLimit(.minutes(2))) struct LabelTests {
    private func observed(_ metrics: TestMetrics, _ change: (inout Observability) -> Void = { _ in }) -> NetworkClient {
        var configuration = NetworkClient.Configuration()
        configuration.transport = AnyAnswer()
        var observability = Observability(logger: nil, metrics: .factory(metrics), tracer: .off)
        change(&observability)
        configuration.observe(with: observability)
        return NetworkClient(configuration: configuration)
    }

    private func send(_ url: String, method: String = "GET", template: String? = nil, by client: NetworkClient)
        async throws
    {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        var context = RequestContext()
        context.urlTemplate = template
        _ = try await client.response(for: request, context: context)
    }

    private func values(of label: String, _ metrics: TestMetrics) -> Set<String> {
        Set(metrics.timers(label: "http.client.request.duration").compactMap { $0[label] })
    }

    @Test func tenThousandHostsAndURLs() async throws {
        let metrics = TestMetrics()
        let client = observed(metrics)
        for number in 0..<10_000 {
            try await send("https://host\(number).example.com/path/\(number)?q=\(number)", by: client)
        }
        let timers = metrics.timers(label: "http.client.request.duration")
        #expect(timers.count == 101)
        #expect(values(of: "server.address", metrics).count == 101)
        let other = try #require(timers.first { $0["server.address"] == "_OTHER" })
        #expect(other.values.count == 9_900 && other["server.port"] == nil)
        #expect(metrics.meters(label: "http.client.active_requests").count == 101)
        #expect(
            timers.allSatisfy { timer in !timer.dimensions.contains { $0.1.contains("path") || $0.1.contains("q=") } })
        // An admitted server keeps its series.
        try await send("https://host7.example.com/", by: client)
        #expect(timers.first { $0["server.address"] == "host7.example.com" }?.values.count == 2)
    }

    @Test func portsCountAsServers() async throws {
        let metrics = TestMetrics()
        let client = observed(metrics) { $0.maximumServers = 3 }
        for port in 8_000..<8_100 { try await send("http://example.com:\(port)/", by: client) }
        #expect(metrics.timers(label: "http.client.request.duration").count == 4)
    }

    @Test func templatesAreBounded() async throws {
        let metrics = TestMetrics()
        let client = observed(metrics) { $0.maximumTemplates = 5 }
        for number in 0..<50 { try await send("https://example.com/", template: "/bad/\(number)", by: client) }
        #expect(values(of: "url.template", metrics).count == 6)
        #expect(values(of: "url.template", metrics).contains("_OTHER"))
    }

    @Test func methodsAreBounded() async throws {
        let metrics = TestMetrics()
        let client = observed(metrics)
        for method in ["GET", "PROPFIND", "MKCOL", "get", "PATCH"] {
            try await send("https://example.com/", method: method, by: client)
        }
        #expect(values(of: "http.request.method", metrics).isSuperset(of: ["GET", "PATCH", "_OTHER"]))
        #expect(values(of: "http.request.method", metrics).isDisjoint(with: ["PROPFIND", "MKCOL", "get"]))
    }

    @Test func statusesAreBounded() async throws {
        let metrics = TestMetrics()
        var configuration = NetworkClient.Configuration()
        let statuses = Array(200..<600) + [0, 99, 600, 1_000_000]
        let next = Numbers()
        configuration.transport = StubTransport { request, _, _ in
            let index = (Int(next.next(digits: 8), radix: 16) ?? 1) - 1
            return TransportResponse(status: statuses[index % statuses.count], url: request.url)
        }
        configuration.observe(with: Observability(logger: nil, metrics: .factory(metrics), tracer: .off))
        let client = NetworkClient(configuration: configuration)
        for _ in statuses { try await send("https://example.com/", by: client) }
        let timers = metrics.timers(label: "http.client.request.duration")
        #expect(timers.count == 65)
        #expect(timers.reduce(0) { $0 + $1.values.count } == statuses.count)
        #expect(timers.contains { $0["error.type"] == "_OTHER" })
    }

    @Test(arguments: [
        ("https://user:pass@Example.COM/a@b", "example.com", "443", "https"),
        ("http://example.com", "example.com", "80", "http"),
        ("http://example.com:8080?at=x:y@z", "example.com", "8080", "http"),
        ("https://[2001:db8::1]/", "2001:db8::1", "443", "https"),
        ("https://[2001:db8::1]:444/", "2001:db8::1", "444", "https"),
        ("https://127.0.0.1:65535/x", "127.0.0.1", "65535", "https"),
    ])
    func spellings(_ url: String, _ address: String, _ port: String, _ scheme: String) async throws {
        let metrics = TestMetrics()
        try await send(url, by: observed(metrics))
        let timer = try #require(metrics.timers(label: "http.client.request.duration").first)
        #expect(timer["server.address"] == address && timer["server.port"] == port && timer["url.scheme"] == scheme)
    }

    @Test func templatesNameSpans() async throws {
        let server = try MockServer { _ in .ok }
        let lab = Lab(server) { $0.urlTemplate = { $0.url?.path.hasPrefix("/users/") == true ? "/users/{id}" : nil } }
        try await lab.get("/users/1")
        var context = RequestContext()
        context.urlTemplate = "/orders/{id}"
        _ = try await lab.client.response(for: lab.request("/orders/1"), context: context)
        #expect(lab.clientSpans.map(\.operationName) == ["GET /users/{id}", "GET /orders/{id}"])
        #expect(lab.clientSpans.map { $0["url.template"] } == ["/users/{id}", "/orders/{id}"])
        #expect(Set(lab.timers.compactMap { $0["url.template"] }) == ["/users/{id}", "/orders/{id}"])
        #expect(lab.log.entries.allSatisfy { $0.metadata["url.template"] != nil && $0.metadata["url.full"] == nil })
        await server.stop()
    }
}
