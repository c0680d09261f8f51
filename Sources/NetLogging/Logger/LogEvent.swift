public import NetCore

/// One message to a ``LogSink``, with what belongs to it. One value, so that more can be added without a change to sinks.
///
/// Its description and its dump show ``visibleMessage``, never what is private.
public struct LogEvent: Sendable {
    /// When it was logged.
    public let date: Date
    /// How much it matters.
    public let level: LogLevel
    /// The program or library it comes from, such as `"com.example.app.networking"`.
    public let subsystem: String
    /// The part of the subsystem, such as `"network"`.
    public let category: String
    /// The whole message. Mind ``privacy`` before showing it: ``visibleMessage`` is what everybody may see.
    public let message: String
    /// Who may read the message.
    public let privacy: LogPrivacy
    /// The call it is about; nil if it is about none.
    public let requestID: RequestID?
    /// The distributed trace in which it was logged: ``TraceContext/current`` at that moment.
    public let traceContext: TraceContext?

    /// What stands in place of a message that is not public.
    public static let privateMark = "<private>"

    /// An event, as sinks and their tests need it.
    public init(
        date: Date = Date(),
        level: LogLevel,
        subsystem: String = NetworkLogger.defaultSubsystem,
        category: String = NetworkLogger.defaultCategory,
        message: String,
        privacy: LogPrivacy,
        requestID: RequestID? = nil,
        traceContext: TraceContext? = nil
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

    /// The message if it is public, and `<private>` if it is not.
    public var visibleMessage: String { privacy == .public ? message : Self.privateMark }
}

extension LogEvent: CustomStringConvertible, CustomReflectable {
    /// Level, category, request and what may be seen of the message.
    public var description: String {
        let request = requestID.map { "\($0) " } ?? ""
        return "\(level) \(category): \(request)\(visibleMessage)"
    }

    /// Shows the description only.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// How much a message matters.
public enum LogLevel: Int, Comparable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// For whoever is looking for a fault.
    case debug
    /// What happens in the normal course.
    case info
    /// Normal, and worth keeping.
    case notice
    /// Something to look at: a client error, a retry.
    case warning
    /// Something failed.
    case error
    /// A fault of the program itself.
    case fault

    /// The more it matters the greater.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The name of the case: `info`.
    public var description: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .fault: "fault"
        }
    }
}

/// Who may read a message (seed 000).
public enum LogPrivacy: Hashable, Sendable, CaseIterable {
    /// Everybody: paths, status codes, sizes.
    case `public`
    /// The user and whoever debugs the program: identifiers, e-mail addresses.
    case `private`
    /// Nobody without need: tokens, card numbers. As private, and treated as credentials where the platform knows a
    /// difference.
    case sensitive
    /// As the platform decides. Where it has no opinion, as private.
    case auto
}
