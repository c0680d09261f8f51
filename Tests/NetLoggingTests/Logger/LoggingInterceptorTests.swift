import NetClient
import NetLogging
import Testing

@Suite("LoggingInterceptor") struct LoggingInterceptorTests {
    private let sink = RecordingSink()
    private let clock = HandClock()

    private func send(
        _ request: URLRequest, level: LoggingInterceptor.Level = .verbose, body: HTTPBody? = nil,
        logger: NetworkLogger? = nil, sanitization: SanitizationConfig = .default,
        answer: @escaping @Sendable () throws -> TransportResponse = { TransportResponse(status: 204, url: nil) }
    ) async throws -> (response: TransportResponse, id: RequestContext.ID) {
        let context = RequestContext(clock: clock)
        let next = Next(body: body, context: context) { [clock] _, _, _ in
            clock.advance(by: 0.012)
            return try answer()
        }
        let logger = logger ?? NetworkLogger(sinks: [sink])
        let interceptor = LoggingInterceptor(level: level, sanitization: sanitization, logger: logger)
        let result = await Task { try await interceptor.intercept(request, next: next) }.result
        await logger.flush()
        return (try result.get(), context.id)
    }

    private func request(
        _ url: String = "https://example.com/a?b=c", method: String = "GET", type: String? = nil
    ) throws -> URLRequest {
        var request = try URLRequest(url, method: method, headers: ["Authorization": "Bearer x"])
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        return request
    }

    @Test func minimalIsOneLineEach() async throws {
        let request = try request()
        let (response, id) = try await send(request, level: .minimal) {
            TransportResponse(status: 200, headers: ["X-A": "b"], url: request.url, body: HTTPBody("hello"))
        }
        #expect(
            sink.messages == [
                "➡️ GET https://example.com/a?b=[REDACTED]",
                "⬅️ 200 https://example.com/a?b=[REDACTED], 5 bytes in 12 ms",
            ])
        #expect((sink.events.map(\.requestID), sink.events.map(\.privacy)) == ([id, id], [.public, .public]))
        #expect(try await response.body.collect(upTo: 10) == Data("hello".utf8))
    }

    @Test func verboseHasHeadersAndSizes() async throws {
        let request = try request(method: "PUT", type: "text/plain")
        _ = try await send(request, body: HTTPBody("12345678")) {
            TransportResponse(
                status: 404, headers: ["Content-Type": "text/html"], url: nil, body: HTTPBody(pulling: { nil }))
        }
        // The body that is not read has a message of its own, at its release.
        #expect(
            sink.messages.prefix(2) == [
                """
                ➡️ PUT https://example.com/a?b=[REDACTED]
                   Headers: ["Authorization": "[REDACTED]", "Content-Type": "text/plain"]
                   Body: 8 bytes, text/plain
                """,
                """
                ⬅️ 404 https://example.com/a?b=[REDACTED], a stream in 12 ms
                   Headers: ["Content-Type": "text/html"]
                   Body: a stream, text/html
                """,
            ])
        #expect(sink.events.prefix(2).map(\.level) == [.info, .warning])
    }

    @Test func errorsAreLoggedAndPassOn() async throws {
        let request = try request()
        let failure = await #expect(throws: NetworkFailure.self) {
            _ = try await send(request, level: .minimal) { throw NetworkError.timeout }
        }
        #expect(failure?.cause == .timeout)
        await #expect(throws: CancellationError.self) {
            _ = try await send(request, level: .minimal) { throw CancellationError() }
        }
        #expect(sink.messages[1] == "❌ timeout, GET https://example.com/a?b=[REDACTED], after 12 ms")
        #expect(sink.messages[3] == "❌ cancelled, GET https://example.com/a?b=[REDACTED], after 12 ms")
        #expect(sink.events.map(\.level) == [.info, .error, .info, .info])
    }

    /// A client does not even ask one that is switched off.
    @Test func noneAndSilentLogNothing() async throws {
        let client = NetworkClient(
            interceptors: [LoggingInterceptor(level: .none)],
            callInterceptors: [LoggingInterceptor(level: .none), LoggingInterceptor()])
        #expect(client.chain.interceptors.count { $0 is LoggingInterceptor } == 1)
        _ = try await send(request(), level: .none)
        _ = try await send(request(), logger: .silent)
        #expect(sink.events.isEmpty)
    }

    @Test func sanitizationIsAsAskedFor() async throws {
        var request = try request("https://a.b/login?page=2&custom_token=q3", type: "application/json")
        request.setValue("h4ader", forHTTPHeaderField: "X-Custom-Auth")
        let body = HTTPBody(#"{"name":"j5hn","customPassword":"p6ss","nickname":"n7ck","note":"n8te"}"#)
        func shown(_ sanitization: SanitizationConfig) async throws -> [String] {
            _ = try await send(request, body: body, sanitization: sanitization)
            let text = try #require(sink.messages.dropLast().last)
            return ["=2", "q3", "h4ader", "j5hn", "p6ss", "n7ck", "n8te"].filter(text.contains)
        }
        let custom = SanitizationConfig(
            sensitiveHeaders: ["X-Custom-Auth"], sensitiveQueryParams: ["custom_token"],
            sensitiveBodyFields: ["customPassword", "NAME"])
        let open = SanitizationConfig(
            sensitiveBodyFields: ["note"], allowedHeaders: ["x-custom-auth"], allowedQueryParams: ["page"],
            allowedBodyFields: ["nick_name", "note"])
        #expect(try await (shown(.default), shown(custom), shown(.strict)) == (["=2", "j5hn"], ["=2"], []))
        #expect(try await (shown(open), shown(.none).count) == (["=2", "h4ader", "j5hn", "n7ck"], 7))
    }

    @Test func longBinaryAndStreamedBodiesAreSummarised() async throws {
        let request = try request(method: "POST", type: "application/json")
        let long = HTTPBody("[" + String(repeating: "1,", count: 50_000) + "1]")
        let stream = HTTPBody(length: 7, pulling: { Data("[1,2,3]".utf8) })
        _ = try await send(request, body: long) {
            TransportResponse(status: 200, headers: ["Content-Type": "image/png"], url: nil, body: HTTPBody("\u{0}abc"))
        }
        let (response, _) = try await send(request, body: stream) {
            TransportResponse(status: 200, url: nil, body: HTTPBody(length: 3, pulling: { Data("abc".utf8) }))
        }
        #expect(sink.messages[0].hasSuffix("Body: 100003 bytes, application/json"))
        #expect(sink.messages[1].hasSuffix("Body: 4 bytes, image/png"))
        #expect(sink.messages[2].hasSuffix("Body: 7 bytes, application/json"))
        #expect(sink.messages[3].hasSuffix("Body: a stream of 3 bytes"))
        #expect(try await stream.prefix(upTo: 1) == Data("[".utf8), "not read")
        #expect(try await response.body.prefix(upTo: 1) == Data("a".utf8), "not read")
    }
}
