import NetTesting
import NetTransfer
import TestLab
import Testing

@testable import NetLogging

/// The lines of a call with redirects and retries belong together, in order.
@Suite struct StoryTests {
    private let sink = RecordingSink()
    private let clock = HandClock()

    private struct Key: HTTPInterceptor {
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            var request = request
            request.setValue("S3CR3T", forHTTPHeaderField: "X-API-Key")
            return try await next(request)
        }
    }

    private func run(_ level: LoggingInterceptor.Level, isPerAttempt: Bool = false) async throws {
        let logger = NetworkLogger(sinks: [sink])
        let logging = LoggingInterceptor(level: level, logger: logger)
        let answers = Locked([503, 302, 503, 200][...])
        let client = NetworkClient(
            interceptors: isPerAttempt ? [Key(), logging] : [Key()],
            retryPolicy: RetryPolicy(maxRetries: 2, delay: .fixed(0.5)),
            transport: StubTransport { _, _, _ in
                let status = answers.withLock { $0.popFirst() } ?? 500
                let headers: HTTPHeaders = status == 302 ? ["Location": "/b?x=S3CR3T"] : [:]
                return TransportResponse(status: status, headers: headers, url: nil)
            },
            callInterceptors: isPerAttempt ? [] : [logging], clock: clock)
        _ = try await client.data(for: URLRequest("https://a.example/a"))
        await logger.flush()
    }

    @Test func minimal() async throws {
        try await run(.minimal)
        #expect(
            sink.messages == [
                "➡️ GET https://a.example/a",
                "🔁 attempt 0: request_failed 503; again by policy after 0.5 s",
                "↪️ 302, on to GET https://a.example/b?x=[REDACTED]",
                "🔁 attempt 0: request_failed 503; again by policy after 0.5 s",
                "⬅️ 200 https://a.example/b?x=[REDACTED], 0 bytes in 0 ms, after 2 retries",
            ])
        #expect(Set(sink.events.map(\.requestID)).count == 1 && sink.events.first?.requestID != nil)
        #expect(sink.events.map(\.level) == [.info, .notice, .info, .notice, .info])
        // A part of the SDK has a category of its own, in place of the logger's.
        #expect(sink.events.map(\.category) == ["network", "network.retry", "network", "network.retry", "network"])
        #expect(sink.events.allSatisfy { $0.subsystem == NetworkLogger.defaultSubsystem })
    }

    @Test func redirectWithoutCredentialsLogsToTheCredentialsCategory() async throws {
        let request = try URLRequest("https://a.example/a", headers: ["Authorization": "Bearer S3CR3T"])
        let logger = NetworkLogger(category: "shop", sinks: [sink])
        let redirect = TransportResponse(status: 302, headers: ["Location": "https://b.example/"], url: nil)
        let client = NetworkClient(
            transport: StubTransport(.success(redirect), .success(TransportResponse(status: 200, url: nil))),
            callInterceptors: [LoggingInterceptor(logger: logger)], clock: clock)
        _ = try await client.data(for: request)
        await logger.flush()
        let notice = try #require(sink.events.first { $0.message.contains("leaves out") })
        #expect(notice.category == "shop.credentials")
    }

    @Test func verboseShowsWhatIsSent() async throws {
        try await run(.verbose)
        let sent = sink.messages.filter { $0.hasPrefix("as sent: ") }
        #expect(sent.count == 4 && sent.allSatisfy { $0.lowercased().contains(#""x-api-key": "[redacted]""#) })
        #expect(sent[1].contains("(attempt 1)") && !sent[0].contains("attempt"))
        #expect(!sink.messages.joined().contains("S3CR3T"))
    }

    @Test func amongInterceptorsEachAttemptIsLogged() async throws {
        try await run(.minimal, isPerAttempt: true)
        #expect(sink.messages.filter { $0.hasPrefix("➡️") }.count == 4)
        #expect(sink.messages.filter { $0.contains("(attempt 1)") }.count == 2)
        #expect(Set(sink.events.map(\.requestID)).count == 1)
    }

    /// `traceparent` goes out, is seen by who logs, and what belongs to a task is there for interceptors and observers.
    @Test func tracesAndTaskLocals() async throws {
        struct Observing: HTTPInterceptor, NetworkEventObserver {
            let seen: Locked<[TraceContext?]>
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                seen.withLock { $0.append(TraceContext.current) }
                var next = next
                next.context.observers.append(self)
                return try await next(request)
            }
            func observe(_ event: NetworkEvent) { seen.withLock { $0.append(TraceContext.current) } }
        }
        // A random one may have the form of a card number.
        let trace = try #require(TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        let seen = Locked<[TraceContext?]>([])
        let recorder = TrafficRecorder()
        let logger = NetworkLogger(sinks: [sink])
        let transport = StubTransport.ok
        let client = NetworkClient(
            interceptors: [TracePropagationInterceptor()], transport: transport,
            callInterceptors: [LoggingInterceptor(level: .verbose, logger: logger), recorder, Observing(seen: seen)])
        try await TraceContext.$current.withValue(trace) {
            _ = try await client.response(for: URLRequest("https://a.example/"))
        }
        await logger.flush()
        #expect(seen.withLock { $0 } == [trace, trace, trace] && sink.events.allSatisfy { $0.traceContext == trace })
        let sent = try #require(transport.exchanges.first?.request.value(forHTTPHeaderField: "traceparent"))
        #expect(TraceContext(traceparent: sent)?.traceID == trace.traceID)
        let fields = try #require(recorder.archive.log.entries.first).request.headers
        #expect(fields.contains { $0.name.lowercased() == "traceparent" && $0.value == sent })
        #expect(sink.messages.contains { $0.contains(sent) })
    }
}

/// What the log, the metrics and the archive tell of a body that arrives as a stream.
@Suite(.timeLimit(.minutes(2))) struct StreamStoryTests {
    private let sink = RecordingSink()
    private let logger: NetworkLogger
    private let observer = RecordingObserver()
    private let recorder = TrafficRecorder()
    private let client: NetworkClient

    init() {
        logger = NetworkLogger(sinks: [sink])
        client = NetworkClient(
            transport: .platform,
            callInterceptors: [LoggingInterceptor(logger: logger), MetricsInterceptor(observers: [observer]), recorder])
    }

    /// The message of that beginning, without its duration.
    private func message(_ beginning: String) async -> String? {
        await logger.flush()
        return sink.messages.last { $0.hasPrefix(beginning) }?
            .replacingOccurrences(of: " in [0-9]+ ms", with: "", options: .regularExpression)
    }

    @Test func brokenBodyIsLoggedWithTheReceivedBytes() async throws {
        let server = try MockServer { _ in .bytes(count: 1_000).fault(.truncatedBody) }
        let response = try await client.send(URLRequest(url: server.url("/file")))
        await #expect(throws: (any Error).self) { try await response.body.collect(upTo: 2_000) }
        let url = "http://127.0.0.1:\(server.port)/file"
        #expect(await message("⬅️") == "⬅️ 200 \(url), a stream of 1000 bytes")
        let end = try #require(await message("⏹️"))
        #expect(end.hasPrefix("⏹️ 200 \(url), 500 of 1000 bytes: truncated_body"), "\(end)")
        #expect(sink.events.last?.level == .error)
        let call = try #require(observer.calls.last)
        #expect(call.outcome == .failure(code: "truncated_body"))
        #expect(call.exchanges.map(\.errorCode) == ["truncated_body"])
        let entry = try #require(recorder.archive.log.entries.last)
        let error = entry.error ?? ""
        #expect(entry.response.status == 200 && error.hasPrefix("truncated_body"), "\(error)")
    }

    @Test func readAndUnreadBodiesAreLogged() async throws {
        let server = try MockServer { _ in .bytes(count: 1_000_000) }
        _ = try await client.send(URLRequest(url: server.url("/whole"))).body.collect(upTo: 1 << 20)
        let url = "http://127.0.0.1:\(server.port)"
        #expect(await message("⏹️") == "⏹️ 200 \(url)/whole, 1000000 bytes")
        do { _ = try await client.send(URLRequest(url: server.url("/left"))) }
        #expect(await message("⏹️") == "⏹️ 200 \(url)/left, 0 of 1000000 bytes, not read to the end")
    }

    @Test func resumptionIsLogged() async throws {
        let server = try MockServer()
        server.enqueue(
            .bytes(count: 600_000).header("ETag", "\"1\"").fault(.truncatedBody),
            .data(MockResponse.generatedBytes(count: 600_000).suffix(300_000), status: 206)
                .header("ETag", "\"1\"").header("Content-Range", "bytes 300000-599999/600000"))
        let folder = try TemporaryDirectory()
        var options = Downloader.Options()
        options.resumptionDelay = .immediate
        let (_, task) = Downloader(client: client).download(
            .url(server.url("/file")), to: .file(folder.url.appendingPathComponent("file")), options: options)
        _ = try await task.value
        await logger.flush()
        let kinds = sink.messages.map { String($0.prefix { $0 != " " }) }
        #expect(kinds == ["➡️", "⬅️", "⏹️", "⏯️", "➡️", "⬅️", "⏹️"], "\(sink.messages)")
        #expect(await message("⏯️") == "⏯️ resumption at byte 300000")
    }
}
