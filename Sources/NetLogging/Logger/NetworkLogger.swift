public import NetCore

/// Records what the network does: requests, responses, errors and messages of one's own (seed 000).
///
/// What it writes of requests and responses carries no secret: headers and query values are left out unless they are known
/// to be harmless, user information is cut from URLs, and of bodies only size and type are shown.
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
    public static let silent = NetworkLogger(sinks: [])

    /// The program or library that logs.
    public let subsystem: String
    /// The part of the subsystem.
    public let category: String
    /// The least level that is written.
    public let minimumLevel: LogLevel

    private let sinks: [any LogSink]
    private let clock: any NetworkClock

    /// A logger.
    ///
    /// - Parameters:
    ///   - subsystem: the program or library that logs.
    ///   - category: the part of it.
    ///   - minimumLevel: what matters less is not written.
    ///   - sinks: where messages go, each to all. Nil for the platform's own log: the unified log on Apple's systems,
    ///     standard error elsewhere. Empty for none.
    ///   - clock: the source of ``LogEvent/date``.
    public init(
        subsystem: String = NetworkLogger.defaultSubsystem,
        category: String = NetworkLogger.defaultCategory,
        minimumLevel: LogLevel = .debug,
        sinks: [any LogSink]? = nil,
        clock: any NetworkClock = .system
    ) {
        self.subsystem = subsystem
        self.category = category
        self.minimumLevel = minimumLevel
        self.sinks = sinks ?? [Self.platformSink(subsystem: subsystem, category: category)]
        self.clock = clock
    }

    /// Whether anything is written at all. Ask before gathering what is costly; messages themselves are made only if they
    /// are written.
    public var isEnabled: Bool { !sinks.isEmpty }

    /// Whether messages of that level are written.
    public func isEnabled(for level: LogLevel) -> Bool { !sinks.isEmpty && level >= minimumLevel }

    /// Logs a message.
    ///
    /// - Parameters:
    ///   - message: evaluated only if it is written.
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
        let event = LogEvent(
            date: clock.now, level: level, subsystem: subsystem, category: category, message: message(),
            privacy: logPrivacy, requestID: requestID)
        for sink in sinks { sink.write(event) }
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

    private static func platformSink(subsystem: String, category: String) -> any LogSink {
        #if canImport(os)
            OSLogSink(subsystem: subsystem, category: category)
        #else
            StandardErrorSink()
        #endif
    }
}
