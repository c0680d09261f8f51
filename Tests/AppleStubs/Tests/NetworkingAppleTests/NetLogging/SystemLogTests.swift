import NetCore
import NetLogging
import NetTesting
import Networking
import Testing
import os

@Suite struct OSLogSinkTests {
    private let subsystem = UUID().uuidString

    @Test func messagePrivacyIsKept() {
        let logger = NetworkLogger(subsystem: subsystem, category: "http")
        for privacy in [LogPrivacy.public, .private, .sensitive, .auto] {
            logger.logMessage(message: "page 12345", level: .info, logPrivacy: privacy)
        }
        let entries = FakeUnifiedLog.entries(of: subsystem)
        #expect(entries.map(\.category) == ["http", "http", "http", "http"])
        #expect(entries.map { $0.shown.contains("12345") } == [true, false, false, false])
        #expect(entries.compactMap(\.privacies.last) == [.public, .private, .sensitive, .auto])
    }

    @Test func categoryIsTheMessagesOrTheSinks() {
        let event = LogEvent(level: .info, category: "network.cache", message: "x", privacy: .public)
        OSLogSink(subsystem: subsystem).write(event)
        OSLogSink(subsystem: subsystem, category: "one").write(event)
        #expect(FakeUnifiedLog.entries(of: subsystem).map(\.category) == ["network.cache", "one"])
    }

    @Test func longMessageIsSplit() {
        let body = (0..<500).map { "line \($0)" }.joined(separator: "\n")
        let sink = OSLogSink(subsystem: subsystem, category: "long")
        sink.write(LogEvent(level: .info, message: body, privacy: .public))
        let parts = FakeUnifiedLog.entries(of: subsystem).map(\.shown)
        #expect(parts.count > 5 && parts.allSatisfy { $0.utf8.count <= 800 })
        let whole = parts.map { $0.split(separator: " ", maxSplits: 1)[1] }.joined()
        #expect(whole == body)
    }

    @Test func levelsMapToOSLogTypes() {
        let sink = OSLogSink(subsystem: subsystem, category: "levels")
        for level in LogEvent.Level.allCases { sink.write(LogEvent(level: level, message: "x", privacy: .public)) }
        #expect(LogEvent.Level.allCases == [.debug, .info, .notice, .warning, .error, .fault])
        let levels = FakeUnifiedLog.entries(of: subsystem).map(\.level)
        #expect(levels == [.debug, .info, .default, .error, .error, .fault])
    }
}

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
