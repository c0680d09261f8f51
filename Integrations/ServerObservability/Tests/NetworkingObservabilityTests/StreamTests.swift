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

/// A streamed response: the attempt ends with the head, the call with the body.
@Suite(.timeLimit(.minutes(2))) struct StreamTests {
    private let size = 300_000

    @Test func theCallEndsWithTheBody() async throws {
        let server = try MockServer { [size] _ in .bytes(count: Int64(size)) }
        let lab = Lab(server)
        let response = try await lab.client.send(lab.request("/"))
        #expect(lab.clientSpans.count == 1 && lab.callSpans.isEmpty)
        #expect(lab.timers.map(\.values.count) == [1] && lab.activeRequests == 0)
        #expect(lab.log.entries.isEmpty)
        #expect(lab.metrics.recorders(label: "http.client.response.body.size").isEmpty)
        var count = 0
        for try await chunk in response.body { count += chunk.count }
        #expect(count == size)
        #expect(lab.callSpans.count == 1 && lab.callSpans.first?.status == nil)
        #expect(lab.metrics.recorders(label: "http.client.response.body.size").first?.values == [Double(size)])
        #expect(lab.log.entries.map { "\($0.message)" } == ["request completed"])
        await server.stop()
    }

    @Test func aReleasedBodyEndsTheCall() async throws {
        let server = try MockServer { _ in MockResponse(body: .stream([.bytes(Data(count: 10)), .hold])) }
        let lab = Lab(server)
        do {
            let response = try await lab.client.send(lab.request("/"))
            #expect(response.status == 200 && lab.callSpans.isEmpty)
        }
        #expect(lab.callSpans.count == 1)
        #expect(lab.metrics.recorders(label: "http.client.response.body.size").isEmpty)
        await server.stop()
    }

    @Test func aBodyThatBreaksFailsTheCall() async throws {
        let server = try MockServer { [size] _ in .bytes(count: Int64(size)).fault(.truncatedBody) }
        let lab = Lab(server)
        let response = try await lab.client.send(lab.request("/"))
        let failure = await #expect(throws: NetworkFailure.self) {
            for try await _ in response.body {}
        }
        #expect(lab.clientSpans.first?.status == nil)
        let call = try #require(lab.callSpans.first)
        #expect(
            call["error.type"] == "truncated_body" && failure?.errorType == "truncated_body"
                && call.errors.count == 1 && call.status?.code == .error)
        #expect(lab.log.entries.map { "\($0.level) \($0.message)" } == ["error request failed"])
        #expect(lab.metrics.recorders(label: "http.client.response.body.size").isEmpty)
        await server.stop()
    }

    @Test func aStreamIsReadOnceAndKeepsItsLength() async throws {
        let server = try MockServer { [size] _ in .bytes(count: Int64(size)) }
        let lab = Lab(server)
        let response = try await lab.client.send(lab.request("/"))
        #expect(response.body.length == Int64(size) && !response.body.isReplayable)
        #expect(try await response.body.collect(upTo: size).count == size)
        await #expect(throws: NetworkError.bodyNotReplayable) {
            do { _ = try await response.body.collect(upTo: size) } catch let failure as NetworkFailure {
                throw failure.cause
            }
        }
        #expect(lab.callSpans.count == 1)
        await server.stop()
    }
}
