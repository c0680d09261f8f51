import NetCore
import NetLogging
import NetTesting
import Networking
import Testing
import os

@Suite(.timeLimit(.minutes(5))) struct SignpostInterceptorTests {
    private let subsystem = UUID().uuidString

    private var entries: [FakeSignposts.Entry] { FakeSignposts.entries(of: subsystem) }

    private func client() -> NetworkClient {
        NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 1, delay: .immediate),
            callInterceptors: [SignpostInterceptor(subsystem: subsystem)])
    }

    @Test func callsAndExchangesAreSignpostIntervals() async throws {
        let server = try MockServer { request in request.path == "/a" ? .text("hello") : .status(503) }
        let client = client()
        _ = try await client.data(for: URLRequest(url: server.url("/a")))
        #expect(entries.map(\.name) == ["Call", "Exchange", "Exchange", "Call"])
        #expect(entries.map(\.kind) == [.begin, .begin, .end, .end])
        #expect(entries[0].id == entries[3].id && entries[1].id == entries[2].id && entries[0].id != entries[1].id)
        #expect(entries[3].shown == "200 5 bytes" && entries[2].shown == "200")
        // Hosts and paths are private.
        #expect(entries[0].shown.hasSuffix("GET <private>") && !entries[1].shown.contains("127.0.0.1"))
    }

    @Test func retryIsASignpostEvent() async throws {
        let server = try MockServer { _ in .status(503) }
        await #expect(throws: NetworkFailure.self) {
            _ = try await client().data(for: URLRequest(url: server.url("/b")))
        }
        #expect(entries.filter { $0.kind == .event }.map { "\($0.name) \($0.shown)" } == ["Retry policy"])
        #expect(entries.filter { $0.kind == .begin }.count == entries.filter { $0.kind == .end }.count)
    }
}
