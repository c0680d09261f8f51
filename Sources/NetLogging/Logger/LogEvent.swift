public import NetCore

/// One message to a ``LogSink``, with its context.
///
/// The description and the dump of an event show ``visibleMessage``, never private text.
public struct LogEvent: Sendable, CustomStringConvertible, CustomReflectable {
    public let date: Date
    public let level: LogEvent.Level
    /// The program or library that logged it, such as `"com.example.app.networking"`.
    public let subsystem: String
    /// The part of the subsystem, such as `"network"`. Messages of a call add the part of the SDK that they are of: `network.retry`,
    /// `network.cache`, `network.credentials`, `network.transfer` or `network.transport`. Requests, responses and errors add none.
    public let category: String
    /// The whole message. Respect ``privacy`` when you show it. ``visibleMessage`` is safe to show.
    public let message: String
    /// The readers of the message.
    public let privacy: LogPrivacy
    /// The call of the message, or nil.
    public let requestID: RequestContext.ID?
    /// The distributed trace of the message: ``TraceContext/current`` at that time.
    public let traceContext: TraceContext?

    /// Creates an event, for sinks and their tests.
    public init(
        date: Date = Date(), level: LogEvent.Level, subsystem: String = NetworkLogger.defaultSubsystem,
        category: String = NetworkLogger.defaultCategory, message: String, privacy: LogPrivacy,
        requestID: RequestContext.ID? = nil, traceContext: TraceContext? = nil
    ) {
        self.date = date
        self.level = level
        self.subsystem = subsystem
        self.category = category
        self.message = message
        self.privacy = privacy
        self.requestID = requestID
        self.traceContext = traceContext
    }

    /// The message if it is public, otherwise `<private>`.
    public var visibleMessage: String { privacy == .public ? message : "<private>" }

    /// Level, category, request and ``visibleMessage``.
    public var description: String { "\(level) \(category): \(requestID.map { "\($0) " } ?? "")\(visibleMessage)" }

    /// Shows the description only.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension LogEvent {
    /// The importance of a message.
    public enum Level: Int, Comparable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// For debugging.
        case debug
        /// Normal events.
        case info
        /// Normal events that are worth keeping.
        case notice
        /// Events to look at, such as a client error or a retry.
        case warning
        /// Failures.
        case error
        /// Faults of the program itself.
        case fault

        /// The name of the level, such as `debug`.
        public var description: String { ["debug", "info", "notice", "warning", "error", "fault"][rawValue] }

        public static func < (lhs: LogEvent.Level, rhs: LogEvent.Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }
}

/// The readers of a message.
public enum LogPrivacy: Hashable, Sendable, CaseIterable {
    /// Everyone: paths, status codes, sizes.
    case `public`
    /// The user and developers: identifiers, e-mail addresses.
    case `private`
    /// As few people as possible: tokens, card numbers. Treated as private, and as a credential if the platform distinguishes them.
    case sensitive
    /// The platform decides. Otherwise private.
    case auto
}
