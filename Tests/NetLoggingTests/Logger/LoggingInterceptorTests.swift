import Foundation
import NetCore
import NetLogging
import Testing

@Suite("LoggingInterceptor")
struct LoggingInterceptorTests {
    private let sink = RecordingSink()
    private let clock = HandClock()

    private func send(
        _ request: URLRequest, level: LoggingInterceptor.Level, body: HTTPBody? = nil, logger: NetworkLogger? = nil,
        answer: @escaping @Sendable () throws -> TransportResponse
    ) async throws -> (response: TransportResponse, id: RequestID) {
        let context = RequestContext(clock: clock)
        let clock = clock
        let next = Next(body: body, context: context) { _, _, _ in
            clock.advance(by: 0.012)
            return try answer()
        }
        let interceptor = LoggingInterceptor(level: level, logger: logger ?? NetworkLogger(sinks: [sink]))
        return (try await interceptor.intercept(request, next: next), context.id)
    }

    private func request(_ url: String = "https://example.com/a?b=c") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
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
        #expect(sink.events.map(\.requestID) == [id, id])
        #expect(sink.events.map(\.privacy) == [.public, .public])
        #expect(try await response.body.collect(upTo: 10) == Data("hello".utf8))
    }

    @Test func verboseHasHeadersAndSizes() async throws {
        var request = try request()
        request.httpMethod = "PUT"
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        _ = try await send(request, level: .verbose, body: HTTPBody("12345678")) {
            TransportResponse(
                status: 404, headers: ["Content-Type": "text/html"], url: nil, body: HTTPBody(pulling: { nil }))
        }
        #expect(
            sink.messages == [
                """
                ➡️ PUT https://example.com/a?b=[REDACTED]
                   Headers: Authorization: [REDACTED]; Content-Type: text/plain
                   Body: 8 bytes, text/plain
                """,
                """
                ⬅️ 404 https://example.com/a?b=[REDACTED], a stream in 12 ms
                   Headers: Content-Type: text/html
                   Body: a stream, text/html
                """,
            ])
        #expect(sink.events.map(\.level) == [.info, .warning])
    }

    @Test func errorsAreLoggedAndPassOn() async throws {
        let request = try request()
        let failure = try #require(
            await #expect(throws: NetworkFailure.self) {
                _ = try await send(request, level: .minimal) { throw NetworkError.timeout }
            })
        #expect(failure.cause == .timeout)
        await #expect(throws: CancellationError.self) {
            _ = try await send(request, level: .minimal) { throw CancellationError() }
        }
        #expect(sink.messages[1] == "❌ timeout, GET https://example.com/a?b=[REDACTED], after 12 ms")
        #expect(sink.messages[3] == "❌ cancelled, GET https://example.com/a?b=[REDACTED], after 12 ms")
        #expect(sink.events.map(\.level) == [.info, .error, .info, .info])
    }

    @Test func noneAndSilentLogNothing() async throws {
        let request = try request()
        _ = try await send(request, level: .none) { TransportResponse(status: 200, url: nil) }
        _ = try await send(request, level: .verbose, logger: .silent) { TransportResponse(status: 200, url: nil) }
        #expect(sink.events.isEmpty)
    }

    @Test(arguments: [LoggingInterceptor.Level.minimal, .verbose])
    func noSecretIsLogged(level: LoggingInterceptor.Level) async throws {
        for var request in try Secrets.requests() {
            let body = request.httpBody.map { HTTPBody($0) }
            request.httpBody = nil
            _ = try await send(request, level: level, body: body) { TransportResponse(status: 200, url: nil) }
        }
        let plain = try request("https://example.com/")
        for (head, data) in try Secrets.responses() {
            let fields = head.allHeaderFields.map { HTTPHeader(name: "\($0.key)", value: "\($0.value)") }
            let response = TransportResponse(
                status: head.statusCode, headers: HTTPHeaders(received: fields), url: head.url, body: HTTPBody(data))
            _ = try await send(plain, level: level) { response }
        }
        for error in try Secrets.errors() {
            _ = try? await send(plain, level: level) { throw error }
            // As an interceptor further in throws it, with nothing around it.
            let logging = LoggingInterceptor(level: level, logger: NetworkLogger(sinks: [sink]))
            let chain = InterceptorChain(
                interceptors: [logging, ThrowingInterceptor(error: error)], transport: StubTransport())
            _ = try? await Next(chain: chain, body: nil, context: RequestContext(clock: clock))(plain)
        }
        #expect(sink.events.count > 100)
        for message in sink.messages { #expect(!message.contains(Secrets.mark), "\(message)") }
    }
}

private struct ThrowingInterceptor: HTTPInterceptor {
    let error: any Error

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse { throw error }
}

private struct StubTransport: HTTPTransport {
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        TransportResponse(status: 200, url: request.url)
    }
}
