import NetClient
import NetLogging
import NetTesting
import Testing

/// A call with redirects and retries reads as one story, and one that was never sent is told.
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

    private struct GetUser: Endpoint {
        var path: String { "/users/1" }
        var method: HTTPMethod { .get }
        typealias Response = EmptyResponse
    }

    private struct Lab: NetworkEnvironment { let baseURL: URL }

    /// The call was put together and never sent.
    @Test func unsentCallIsLogged() async throws {
        let logger = NetworkLogger(sinks: [sink])
        let client = NetworkClient(
            environment: Lab(baseURL: try #require(URL(string: "https://a.example"))),
            transport: StubTransport(.failure(URLError(.unknown))),
            callInterceptors: [LoggingInterceptor(logger: logger)])
        _ = client.request(GetUser()).timeout(3)
        await logger.flush()
        #expect(sink.events.map(\.level) == [.warning])
        let message = try #require(sink.events.first?.visibleMessage)
        #expect(message.hasPrefix("GET https://a.example/users/1 was released without"))
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
