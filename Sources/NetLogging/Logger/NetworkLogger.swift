public import NetCore

/// Records what the network does: requests, responses, errors and messages of one's own (seed 000).
///
/// What it writes of requests and responses carries no secret: see ``SanitizationConfig``. Nobody waits for it: messages are handed to the
/// sinks elsewhere (``LogSink``).
///
/// ```swift
/// let logger = NetworkLogger(subsystem: "com.example.app", category: "network")
/// logger.logMessage("Retry #2 will start in 4 s", level: .notice, logPrivacy: .public)
/// logger.log(request: request)
/// logger.cURLLog(request: request)
/// ```
public struct NetworkLogger: Sendable {
    /// The subsystem unless one is given: the bundle's or the process's name, and `.networking`.
    public static let defaultSubsystem =
        (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName) + ".networking"
    /// The category unless one is given: `network`.
    public static let defaultCategory = "network"

    /// Writes nothing, and costs next to nothing.
    public static let silent = NetworkLogger()

    /// The program or library that logs.
    public let subsystem: String
    /// The part of the subsystem.
    public let category: String
    /// The least level that is written.
    public let minimumLevel: LogLevel
    /// What is left out of requests, responses and public messages.
    public let sanitization: SanitizationConfig

    /// Nil for ``silent``.
    private let router: LogRouter?
    private let clock: any NetworkClock

    /// A logger.
    ///
    /// - Parameters:
    ///   - subsystem: the program or library that logs.
    ///   - category: the part of it.
    ///   - minimumLevel: what matters less is not written.
    ///   - sanitization: what is left out.
    ///   - sinks: where messages go, each to all. Nil for the platform's own log: the unified log on Apple's systems,
    ///     standard error elsewhere. Empty for none: whoever reads ``events(bufferingNewest:)`` gets them.
    ///   - clock: the source of ``LogEvent/date``.
    public init(
        subsystem: String = NetworkLogger.defaultSubsystem,
        category: String = NetworkLogger.defaultCategory,
        minimumLevel: LogLevel = .debug,
        sanitization: SanitizationConfig = .default,
        sinks: [any LogSink]? = nil,
        clock: any NetworkClock = .system
    ) {
        self.subsystem = subsystem
        self.category = category
        self.minimumLevel = minimumLevel
        self.sanitization = sanitization
        router = LogRouter(sinks ?? [Self.platformSink(subsystem: subsystem, category: category)])
        self.clock = clock
    }

    private init() {
        subsystem = Self.defaultSubsystem
        category = Self.defaultCategory
        minimumLevel = .fault
        sanitization = .default
        router = nil
        clock = .system
    }

    /// Whether anything is written at all. Ask before gathering what is costly; messages themselves are made only if they
    /// are written.
    public var isEnabled: Bool { router?.hasTakers == true }

    /// Whether messages of that level are written.
    public func isEnabled(for level: LogLevel) -> Bool { level >= minimumLevel && isEnabled }

    /// Logs a message.
    ///
    /// - Parameters:
    ///   - message: evaluated only if it is written. A public one goes through ``sanitization``: tokens and card numbers are left out.
    ///   - level: how much it matters.
    ///   - logPrivacy: who may read it. Unless it is `.public`, sinks show `<private>` by default.
    ///   - requestID: the call it is about.
    public func logMessage(
        _ message: @autoclosure () -> String,
        level: LogLevel = .info,
        logPrivacy: LogPrivacy = .auto,
        requestID: RequestID? = nil
    ) {
        guard isEnabled(for: level) else { return }
        let message = message()
        write(
            logPrivacy == .public ? sanitization.redactor.text(message) : message, level: level, privacy: logPrivacy,
            requestID: requestID)
    }

    /// Logs a message: the same with a label, as seed 000 also writes it.
    public func logMessage(
        message: @autoclosure () -> String,
        level: LogLevel = .info,
        logPrivacy: LogPrivacy = .auto,
        requestID: RequestID? = nil
    ) {
        logMessage(message(), level: level, logPrivacy: logPrivacy, requestID: requestID)
    }

    /// All messages from now on, for whoever wants to show or count them. It ends with the logger.
    ///
    /// - Parameter limit: how many wait for a slow reader; then the oldest are dropped.
    public func events(bufferingNewest limit: Int = 1_000) -> AsyncStream<LogEvent> {
        router?.events(bufferingNewest: limit) ?? AsyncStream { $0.finish() }
    }

    /// Returns when all that was logged so far is written: before the program ends, and in tests. It waits as long as the slowest sink.
    public func flush() async { await router?.flush() }

    /// Messages that a sink never got, since it was too slow.
    public var droppedCount: Int { router?.droppedCount ?? 0 }
    /// Messages at which a sink threw.
    public var failureCount: Int { router?.failureCount ?? 0 }

    /// Writes a message in which nothing secret is, or whose privacy says so.
    func write(_ message: @autoclosure () -> String, level: LogLevel, privacy: LogPrivacy, requestID: RequestID?) {
        guard isEnabled(for: level) else { return }
        router?.route(
            LogEvent(
                date: clock.now, level: level, subsystem: subsystem, category: category, message: message(),
                privacy: privacy, requestID: requestID, traceContext: TraceContext.current))
    }

    private static func platformSink(subsystem: String, category: String) -> any LogSink {
        #if canImport(os)
            OSLogSink(subsystem: subsystem, category: category)
        #else
            StandardErrorSink()
        #endif
    }
}

extension NetworkLogger {
    /// Logs a request: method, URL, headers, and of the body what ``sanitization`` lets through, or size and type.
    ///
    /// - Parameters:
    ///   - request: as it is about to be sent.
    ///   - body: its body, where that is not in the request itself. It is not read.
    ///   - requestID: the call it belongs to.
    public func log(request: URLRequest, body: HTTPBody? = nil, requestID: RequestID? = nil) {
        write(
            text.request(request, body: body, isVerbose: true), level: .info, privacy: .public, requestID: requestID)
    }

    /// Logs what came of a request: status, headers, size of the body, and the error; and, in a message of its own that is
    /// ``LogPrivacy/private`` (seed 000), the body, if ``sanitization`` lets something of it through.
    ///
    /// - Parameters:
    ///   - responseData: the body.
    ///   - response: the head, usually an `HTTPURLResponse`.
    ///   - error: what went wrong. Of an error that is not this SDK's own, type and code are shown, and not its text, which
    ///     may hold anything.
    ///   - requestID: the call it belongs to.
    ///
    /// The level is `error` with an error or a status from 500, `warning` for one from 400, `info` otherwise.
    public func log(
        responseData: Data?, response: URLResponse?, error: (any Error)?, requestID: RequestID? = nil
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode
        let level = error == nil ? LogLevel(status: status ?? 200) : LogLevel.error
        write(
            text.response(response, data: responseData, error: error), level: level, privacy: .public,
            requestID: requestID)
        guard isEnabled(for: level), let responseData,
            let body = BodyText(redactor: sanitization.redactor).shown(responseData, contentType: response?.contentType)
        else { return }
        write("⬅️ Body: \(body)", level: level, privacy: .private, requestID: requestID)
    }

    /// Logs a request as a command line of curl, to be run in a terminal.
    ///
    /// - Parameters:
    ///   - request: as it is about to be sent.
    ///   - body: its body, where that is not in the request itself. It is not read.
    ///   - redacting: whether secrets are left out, by ``sanitization``. With false the message is ``LogPrivacy/sensitive``, and
    ///     sinks show it only if they are told to show what is private.
    ///   - requestID: the call it belongs to.
    public func cURLLog(
        request: URLRequest, body: HTTPBody? = nil, redacting: Bool = true, requestID: RequestID? = nil
    ) {
        write(
            CURLCommand(request: request, body: body, sanitization: redacting ? sanitization : .none).text,
            level: .debug,
            privacy: redacting ? .public : .sensitive, requestID: requestID)
    }

    private var text: MessageText { MessageText(redactor: sanitization.redactor) }
}

extension URLResponse {
    /// With its parameters, which `mimeType` leaves out.
    fileprivate var contentType: String? {
        (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type") ?? mimeType
    }
}

extension LogLevel {
    /// By the class of a status.
    init(status: Int) {
        switch status.statusCodeType {
        case .serverError: self = .error
        case .clientError: self = .warning
        default: self = .info
        }
    }
}
