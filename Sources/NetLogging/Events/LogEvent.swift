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
