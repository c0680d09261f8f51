import NetClient
import NetLogging
import NetTesting
import Testing

@Suite("Secrets") struct SecretCorpusTests {
    /// All that this SDK says of one exchange.
    private func shown(_ item: SecretCorpus.Case, _ sanitization: SanitizationConfig) async throws -> [String: String] {
        let sink = RecordingSink()
        let logger = NetworkLogger(sanitization: sanitization, sinks: [sink])
        let recorder = TrafficRecorder(sanitization: sanitization)
        let chain = InterceptorChain(
            interceptors: [
                LoggingInterceptor(level: .verbose, sanitization: sanitization, logger: logger),
                LoggingInterceptor(level: .minimal, sanitization: sanitization, logger: logger), recorder,
            ],
            transport: StubTransport { _, _, _ in
                if let error = item.error { throw error }
                return item.response
            })
        let next = Next(chain: chain, body: item.body, context: RequestContext())
        var failure: (any Error)?
        do { _ = try await next(item.request) } catch { failure = error }
        logger.log(request: item.request, body: item.body)
        logger.log(responseData: item.response.body.data, response: item.response.httpURLResponse, error: item.error)
        await logger.flush()
        let archive = recorder.archive
        return [
            "log": sink.messages.joined(separator: "\n"),
            "curl": CURLCommand(request: item.request, body: item.body, sanitization: sanitization).text,
            "archive": String(decoding: try archive.jsonData(), as: UTF8.self),
            "waterfall": recorder.waterfall().html,
            "error": failure.map {
                "\($0) \(String(reflecting: $0)) \(($0 as? NetworkFailure)?.errorDescription ?? "")"
            } ?? "",
        ]
    }

    /// The corpus: no secret is anywhere by default, nor with stricter rules; and each is where it belongs with none.
    @Test func noSecretIsShownUnlessAskedFor() async throws {
        let cases = try SecretCorpus.cases()
        var seen: [String: Int] = [:]
        #expect(cases.count >= 500, "\(cases.count)")
        for item in cases {
            for sanitization in [SanitizationConfig.default, .strict] {
                for (place, text) in try await shown(item, sanitization) {
                    for secret in item.forbidden where text.contains(secret) {
                        Issue.record("\(item): \(place) shows \(secret)\n\(text.prefix(3000))")
                    }
                }
            }
            // With redaction off every output shows what it is about: else the loop above proves nothing of it.
            let all = try await shown(item, .none)
            #expect(all["log"]?.contains(item.secret) == true, "\(item): the log does not show it: \(all["log"] ?? "")")
            for (place, text) in all where text.contains(item.secret) { seen[place, default: 0] += 1 }
            guard item.error == nil, !item.description.contains("response") else { continue }
            let curl = try #require(all["curl"])
            // A body with line breaks is printed by the shell, which writes percent signs twice.
            #expect(curl.replacingOccurrences(of: "%%", with: "%").contains(item.secret), "\(item): \(curl)")
        }
        for (place, count) in [("log", 500), ("curl", 300), ("archive", 400), ("waterfall", 300)] {
            #expect(seen[place, default: 0] >= count, "\(place)")
        }
    }

    private struct Throwing: HTTPInterceptor {
        let error: any Error & Sendable
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse { throw error }
    }

    private enum LeakyCase: Error { case withSecret(String) }

    private static let secret = "S3CR3T"

    static let errors: [any Error & Sendable] = [
        Leaky(text: secret), LeakyCase.withSecret(secret), NetworkError.unknown(Leaky(text: secret)),
        NetworkError.requestFailed(statusCode: 401, data: Data(secret.utf8)),
        NetworkFailure(
            cause: .unknown(Leaky(text: secret)),
            response: ResponseSnapshot(statusCode: 500, headers: ["Set-Cookie": secret], body: Data(secret.utf8))),
        URLError(
            .timedOut,
            userInfo: [NSURLErrorFailingURLErrorKey: "https://\(secret)/", NSLocalizedDescriptionKey: secret]),
        NSError(domain: "App", code: 3, userInfo: [NSLocalizedDescriptionKey: secret]),
        DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "got \(secret)")),
    ]

    /// As the transport throws them, and as an interceptor does, with nothing around them.
    @Test(arguments: errors.indices, [LoggingInterceptor.Level.minimal, .verbose])
    func errorsAreLoggedWithoutTheirSecrets(_ index: Int, level: LoggingInterceptor.Level) async throws {
        let error = Self.errors[index]
        let sink = RecordingSink()
        let logger = NetworkLogger(sinks: [sink])
        logger.log(responseData: nil, response: nil, error: error)
        let request = try URLRequest("https://a.example/")
        for further in [[], [Throwing(error: error)]] {
            let chain = InterceptorChain(
                interceptors: [LoggingInterceptor(level: level, logger: logger)] + further,
                transport: StubTransport { _, _, _ in throw error })
            await #expect(throws: (any Error).self) {
                try await Next(chain: chain, body: nil, context: RequestContext())(request)
            }
        }
        await logger.flush()
        #expect(sink.messages.filter { $0.hasPrefix("❌") }.count == 3, "\(sink.messages)")
        #expect(!sink.messages.contains { $0.contains(Self.secret) }, "\(sink.messages)")
    }

    /// A secret of which each half comes in a chunk of its own, over a real connection.
    @Test func secretsSplitOverChunks() async throws {
        let server = try MockServer()
        for secret in SecretCorpus.secrets {
            for encoding in SecretCorpus.Encoding.allCases {
                let text = encoding(secret.plain)
                let half = text.index(text.startIndex, offsetBy: text.count / 2)
                let json = #"{"note":""# + text[..<half]
                for (sanitization, isShown) in [(SanitizationConfig.default, false), (.none, true)] {
                    server.enqueue(
                        .chunked([json, text[half...] + #"","id":1}"#]).header("Content-Type", "application/json"))
                    let sink = RecordingSink()
                    let logger = NetworkLogger(sinks: [sink])
                    let recorder = TrafficRecorder(sanitization: sanitization)
                    let logging = LoggingInterceptor(level: .verbose, sanitization: sanitization, logger: logger)
                    let client = NetworkClient(transport: .platform, callInterceptors: [logging, recorder])
                    let data = try await client.data(for: URLRequest(url: server.url("/"))).data
                    #expect(String(decoding: data, as: UTF8.self).contains(text))
                    await logger.flush()
                    #expect(sink.messages.contains { $0.contains(text) } == isShown)
                    #expect(recorder.waterfall().html.contains(text) == isShown)
                    #expect(String(decoding: try recorder.archive.jsonData(), as: UTF8.self).contains(text) == isShown)
                    await client.shutdown()
                }
            }
        }
        await server.stop()
    }
}
