import TestLab
import Testing

@testable import NetLogging

@Suite("NetworkLogger") struct NetworkLoggerTests {
    private let sink = RecordingSink()
    private let clock = HandClock()
    private let logger: NetworkLogger

    init() { logger = NetworkLogger(subsystem: "test", category: "net", sinks: [sink], clock: clock) }

    @Test func bothFormsOfSeed000LogAMessage() async throws {
        logger.logMessage(message: "Bootstrapping network layer", level: .info, logPrivacy: .public)
        logger.logMessage(
            "Retry #2 will start in 4 s", level: .notice, logPrivacy: .sensitive, requestID: RequestContext.ID())
        logger.logMessage("by default")
        await logger.flush()
        #expect(sink.messages == ["Bootstrapping network layer", "Retry #2 will start in 4 s", "by default"])
        #expect(sink.events.map(\.level) == [.info, .notice, .info])
        #expect(sink.events.map(\.privacy) == [.public, .sensitive, .auto])
        #expect(sink.events.map { $0.requestID != nil } == [false, true, false])
        let first = try #require(sink.events.first)
        #expect((first.subsystem, first.category, first.date) == ("test", "net", clock.now))
    }

    @Test func hasDefaults() {
        let logger = NetworkLogger()
        #expect(logger.category == "network" && logger.subsystem.hasSuffix(".networking") && logger.isEnabled)
    }

    @Test func messageIsMadeForEnabledLevelsOnly() async {
        var made = 0
        func message() -> String {
            made += 1
            return "m"
        }
        NetworkLogger.silent.logMessage(message(), level: .fault)
        NetworkLogger.silent.logMessage(message: message(), level: .fault)
        let quiet = NetworkLogger(minimumLevel: .warning, sinks: [sink])
        quiet.logMessage(message(), level: .notice)
        #expect(made == 0)
        quiet.logMessage(message(), level: .warning)
        #expect(made == 1)
        for logger in [quiet, quiet, .silent] { await logger.flush() }
        #expect(sink.messages == ["m"])
        #expect(!NetworkLogger.silent.isEnabled && !NetworkLogger.silent.isEnabled(for: .fault))
        #expect(quiet.isEnabled && quiet.isEnabled(for: .error) && !quiet.isEnabled(for: .info))
    }

    @Test func describesARequest() async throws {
        let request = try URLRequest(
            "https://api.example.com/login?token=x&page=2", method: "POST",
            headers: ["Content-Type": "application/json", "Authorization": "Bearer x"],
            body: Data("{\"password\":\"x\"}".utf8))
        let id = RequestContext.ID()
        logger.log(request: request, requestID: id)
        await logger.flush()
        #expect(
            sink.messages == [
                """
                ➡️ POST https://api.example.com/login?token=[REDACTED]&page=2
                   Headers: ["Authorization": "[REDACTED]", "Content-Type": "application/json"]
                   Body: {"password":"[REDACTED]"}
                """
            ])
        #expect((sink.events.map(\.privacy), sink.events.map(\.requestID)) == ([.public], [id]))
    }

    @Test func doesNotReadABody() async throws {
        let request = try URLRequest("https://example.com/")
        let body = HTTPBody(pulling: { Data([1]) })
        logger.log(request: request, body: body)
        logger.cURLLog(request: request, body: body)
        await logger.flush()
        #expect(sink.messages[0].contains("Body: a stream of unknown length"))
        #expect(try await body.prefix(upTo: 1) == Data([1]), "it can still be read")
    }

    @Test(arguments: [(200, LogEvent.Level.info), (304, .info), (404, .warning), (503, .error)])
    func describesAResponse(status: Int, level: LogEvent.Level) async throws {
        let url = try #require(URL(string: "https://example.com/a?b=c"))
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: nil,
            headerFields: ["Set-Cookie": "id=1", "Content-Type": "image/png"])
        logger.log(responseData: Data(count: 1), response: response, error: nil)
        await logger.flush()
        #expect(
            sink.messages == [
                """
                ⬅️ \(status) https://example.com/a?b=[REDACTED]
                   Headers: ["Content-Type": "image/png", "Set-Cookie": "[REDACTED]"]
                   Body: 1 byte, image/png
                """
            ])
        #expect(sink.events.map(\.level) == [level])
    }

    @Test func describesWhatIsMissing() async {
        logger.log(responseData: nil, response: nil, error: nil)
        logger.log(responseData: nil, response: nil, error: NetworkError.timeout)
        logger.log(responseData: Data(), response: nil, error: CancellationError())
        logger.log(responseData: nil, response: nil, error: URLError(.timedOut))
        await logger.flush()
        #expect(sink.messages == ["⬅️", "❌ timeout", "❌ cancelled\n   Body: 0 bytes", "❌ URLError -1001"])
        #expect(sink.events.map(\.level) == [.info, .error, .error, .error])
    }

    @Test func curlIsRedactedOrSensitive() async throws {
        let request = try URLRequest("https://example.com/", headers: ["Authorization": "Bearer S3CR3T"])
        logger.cURLLog(request: request)
        logger.cURLLog(request: request, redacting: false)
        await logger.flush()
        #expect(sink.events.map(\.privacy) == [.public, .sensitive])
        #expect(sink.events.map { $0.message.contains("S3CR3T") } == [false, true])
        #expect(sink.events.map { $0.visibleMessage.contains("S3CR3T") } == [false, false])
    }

    /// Seed 000: the body of a response is private.
    @Test func responseBodyIsPrivate() async throws {
        let url = try #require(URL(string: "https://example.com/"))
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "application/json"])
        logger.log(responseData: Data(#"{"id":1,"token":"x"}"#.utf8), response: response, error: nil)
        await logger.flush()
        #expect(sink.events.map(\.privacy) == [.public, .private])
        #expect(sink.messages[1] == #"⬅️ Body: {"id":1,"token":"[REDACTED]"}"#)
    }

    /// What a user writes is looked through as well, where everybody may read it.
    @Test func publicMessagesHoldNoTokens() async {
        logger.logMessage("signed in with Bearer abc12345 and 4111 1111 1111 1111", logPrivacy: .public)
        logger.logMessage("signed in with Bearer abc12345", logPrivacy: .sensitive)
        NetworkLogger(sanitization: .none, sinks: [sink]).logMessage("password=x", logPrivacy: .public)
        await logger.flush()
        #expect(sink.messages.contains("signed in with Bearer [REDACTED] and [REDACTED]"))
        #expect(sink.messages.contains("signed in with Bearer abc12345"))
    }

    @Test func streamHasEveryMessage() async throws {
        let silent = NetworkLogger(sinks: [])
        #expect(!silent.isEnabled)
        var events: AsyncStream<LogEvent>? = silent.events()
        #expect(silent.isEnabled)
        let trace = TraceContext()
        TraceContext.$current.withValue(trace) { silent.logMessage("first") }
        silent.logMessage("second")
        var iterator = events?.makeAsyncIterator()
        let first = try #require(await iterator?.next())
        #expect(await (first.message, first.traceContext, iterator?.next()?.message) == ("first", trace, "second"))
        (iterator, events) = (nil, nil)
        #expect(!silent.isEnabled)
    }

    @Test func streamKeepsTheNewestForASlowReader() async {
        let logger = NetworkLogger(sinks: [])
        let events = logger.events(bufferingNewest: 3)
        for number in 1...100 { logger.logMessage("\(number)") }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next()?.message == "98")
        for await _ in NetworkLogger.silent.events() { Issue.record("there is nothing to be had") }
    }
}

@Suite("LogEvent") struct LogEventTests {
    @Test(arguments: [LogPrivacy.private, .sensitive, .auto]) func showsOnlyWhatIsPublic(privacy: LogPrivacy) {
        let event = LogEvent(level: .info, message: "S3CR3T", privacy: privacy)
        #expect((event.visibleMessage, event.message, textsShowing("S3CR3T", of: event)) == ("<private>", "S3CR3T", []))
        #expect(LogEvent(level: .info, message: "open", privacy: .public).visibleMessage == "open")
    }

    @Test func levelsAreInOrder() {
        #expect(LogEvent.Level.allCases == LogEvent.Level.allCases.sorted())
        #expect(LogEvent.Level.allCases.map { "\($0)" } == ["debug", "info", "notice", "warning", "error", "fault"])
    }

    @Test func shortMessageIsOnePart() {
        for text in ["a", String(repeating: "x", count: 800)] { #expect(LogParts.of(text, limit: 800) == [text]) }
    }

    @Test(arguments: ["x", "ä", "漢", "👩‍👩‍👧‍👦", "e\u{301}"]) func partsJoinToTheMessage(_ unit: String) {
        let message = String(repeating: unit, count: 3000)
        let parts = LogParts.of(message, limit: 800)
        #expect(parts.count > 3 && parts.allSatisfy { $0.utf8.count <= 800 })
        var whole = ""
        for (number, part) in parts.enumerated() {
            let mark = "[\(number + 1)/\(parts.count)] "
            #expect(part.utf8.starts(with: mark.utf8))
            whole.unicodeScalars += part.unicodeScalars.dropFirst(mark.count)
        }
        #expect(whole == message)
    }
}
