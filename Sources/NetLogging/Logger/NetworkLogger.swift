public import NetCore

/// Logs requests, responses, errors and other messages.
///
/// The texts of requests and responses contain no secrets: see ``SanitizationConfig``. Logging does not wait for the sinks: see ``LogSink``.
///
/// ```swift
/// let logger = NetworkLogger(subsystem: "com.example.app", category: "network")
/// logger.logMessage("Retry #2 will start in 4 s", level: .notice, logPrivacy: .public)
/// logger.log(request: request)
/// logger.cURLLog(request: request)
/// ```
public struct NetworkLogger: Sendable {
    /// The default subsystem: the name of the bundle or the process, and `.networking`.
    public static let defaultSubsystem = CurrentProcess.identifier + ".networking"
    public static let defaultCategory = "network"

    /// A logger that writes nothing and costs almost nothing.
    public static let silent: NetworkLogger = {
        var logger = NetworkLogger(minimumLevel: .fault, sinks: [])
        logger.router = nil
        return logger
    }()

    /// The program or library that logs.
    public let subsystem: String
    /// The part of the subsystem. Messages of a part of the SDK add its name to it: see ``LogEvent/category``.
    public let category: String
    /// The lowest level that is written.
    public let minimumLevel: LogEvent.Level
    /// The secrets to leave out of requests, responses and public messages.
    public let sanitization: SanitizationConfig

    /// Nil for ``silent``.
    private var router: LogRouter?
    private let clock: any NetworkClock

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - subsystem: the program or library that logs.
    ///   - category: the part of the subsystem.
    ///   - minimumLevel: the lowest level to write.
    ///   - sanitization: the secrets to leave out.
    ///   - sinks: the destinations of each message. Nil for the platform's log: the unified log on Apple platforms, standard
    ///     error elsewhere. Empty to use ``events(bufferingNewest:)`` only.
    ///   - clock: the source of ``LogEvent/date``.
    public init(
        subsystem: String = NetworkLogger.defaultSubsystem, category: String = NetworkLogger.defaultCategory,
        minimumLevel: LogEvent.Level = .debug, sanitization: SanitizationConfig = .default, sinks: [any LogSink]? = nil,
        clock: any NetworkClock = .system
    ) {
        self.subsystem = subsystem
        self.category = category
        self.minimumLevel = minimumLevel
        self.sanitization = sanitization
        router = LogRouter(sinks ?? [Self.platformSink(subsystem: subsystem)])
        self.clock = clock
    }

    /// Whether the logger writes anything at all. Test it before you gather costly data. Messages themselves are built only if they are written.
    public var isEnabled: Bool { router?.hasReceivers == true }

    /// Whether messages of that level are written.
    public func isEnabled(for level: LogEvent.Level) -> Bool { level >= minimumLevel && isEnabled }

    /// Logs a message.
    ///
    /// - Parameters:
    ///   - message: evaluated only if it is written. A public message is redacted by ``sanitization``: tokens, card numbers and
    ///     the text behind `password=` are left out.
    ///   - level: the importance.
    ///   - logPrivacy: the readers. Unless it is `.public`, sinks show `<private>` by default.
    ///   - requestID: the call of the message.
    public func logMessage(
        _ message: @autoclosure () -> String, level: LogEvent.Level = .info, logPrivacy: LogPrivacy = .auto,
        requestID: RequestContext.ID? = nil
    ) {
        guard isEnabled(for: level) else { return }
        let message = message()
        write(
            logPrivacy == .public ? sanitization.redactor.text(message) : message, level: level, privacy: logPrivacy,
            requestID: requestID)
    }

    /// Logs a message. The same method with a label.
    public func logMessage(
        message: @autoclosure () -> String, level: LogEvent.Level = .info, logPrivacy: LogPrivacy = .auto,
        requestID: RequestContext.ID? = nil
    ) { logMessage(message(), level: level, logPrivacy: logPrivacy, requestID: requestID) }

    /// Returns a stream of all messages from now on. It ends with the logger.
    ///
    /// - Parameter limit: the number of messages that wait for a slow reader. Then the oldest are dropped.
    public func events(bufferingNewest limit: Int = 1_000) -> AsyncStream<LogEvent> {
        router?.streams.stream(bufferingNewest: limit) ?? AsyncStream { $0.finish() }
    }

    /// Returns when all messages so far are written. Call it before the program ends, and in tests. It waits for the slowest sink.
    public func flush() async { for queue in router?.queues ?? [] { await queue.flush() } }

    /// The number of messages that were dropped because a sink was too slow.
    public var droppedCount: Int { router?.queues.reduce(0) { $0 + $1.droppedCount } ?? 0 }
    /// The number of messages at which a sink threw.
    public var failureCount: Int { router?.queues.reduce(0) { $0 + $1.failureCount } ?? 0 }

    /// Writes a message without secrets, or with a privacy that protects them.
    ///
    /// - Parameter part: the part of the SDK, which is added to the category; nil for none.
    func write(
        _ message: @autoclosure () -> String, level: LogEvent.Level, privacy: LogPrivacy = .public,
        requestID: RequestContext.ID?, part: NetworkEvent.Part? = nil
    ) {
        guard isEnabled(for: level) else { return }
        router?.route(
            LogEvent(
                date: clock.now, level: level, subsystem: subsystem,
                category: part.map { "\(category).\($0.rawValue)" } ?? category, message: message(),
                privacy: privacy, requestID: requestID, traceContext: TraceContext.current))
    }

    private static func platformSink(subsystem: String) -> any LogSink {
        #if canImport(os)
            OSLogSink(subsystem: subsystem)
        #else
            StandardErrorSink()
        #endif
    }

    /// Logs a request: method, URL, headers, and the body without its secrets, or its size and type.
    ///
    /// - Parameters:
    ///   - request: the request to be sent.
    ///   - body: the body, if it is not in the request. It is not read.
    ///   - requestID: the call of the request.
    public func log(request: URLRequest, body: HTTPBody? = nil, requestID: RequestContext.ID? = nil) {
        write(text.request(request, body: body, isVerbose: true), level: .info, requestID: requestID)
    }

    /// Logs a result: status, headers, size of the body, and the error. The body without its secrets follows in a message of its
    /// own, which is ``LogPrivacy/private``.
    ///
    /// - Parameters:
    ///   - responseData: the body.
    ///   - response: the head, usually an `HTTPURLResponse`.
    ///   - error: the error. Of an error from outside this SDK only type and code are shown, since its text may contain anything.
    ///   - requestID: the call of the response.
    ///
    /// The level is `error` for an error or a status from 500, `warning` for a status from 400, `info` otherwise.
    public func log(
        responseData: Data?, response: URLResponse?, error: (any Error)?, requestID: RequestContext.ID? = nil
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode
        let level = error == nil ? LogEvent.Level(status: status ?? 200) : .error
        write(text.response(response, data: responseData, error: error), level: level, requestID: requestID)
        guard isEnabled(for: level), let responseData,
            let body = BodyText(redactor: sanitization.redactor).shown(responseData, contentType: response?.contentType)
        else { return }
        write("⬅️ Body: \(body)", level: level, privacy: .private, requestID: requestID)
    }

    /// Logs a request as a curl command for a terminal.
    ///
    /// - Parameters:
    ///   - request: the request to be sent.
    ///   - body: the body, if it is not in the request. It is not read.
    ///   - redacting: whether to leave out secrets, by ``sanitization``. If false, the message is ``LogPrivacy/sensitive``, and
    ///     only sinks that show private text show it.
    ///   - requestID: the call of the request.
    public func cURLLog(
        request: URLRequest, body: HTTPBody? = nil, redacting: Bool = true, requestID: RequestContext.ID? = nil
    ) {
        write(
            CURLCommand(request: request, body: body, sanitization: redacting ? sanitization : .none).text,
            level: .debug, privacy: redacting ? .public : .sensitive, requestID: requestID)
    }

    private var text: MessageText { MessageText(redactor: sanitization.redactor) }
}

extension URLResponse {
    /// The type with its parameters, which `mimeType` leaves out.
    fileprivate var contentType: String? {
        (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type") ?? mimeType
    }
}

extension LogEvent.Level {
    /// The level for a status code.
    init(status: Int) { self = 500..<600 ~= status ? .error : 400..<500 ~= status ? .warning : .info }
}
