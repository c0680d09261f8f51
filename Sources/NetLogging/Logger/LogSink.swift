import NetCore

/// A destination of log messages: a file, a console, another logging library.
///
/// A ``NetworkLogger`` calls it with one message at a time, on a queue of its own. It may be slow, block and throw: requests do
/// not wait for it. While messages come quickly one after the other, the queue collects them for up to a millisecond, except
/// warnings and errors. Up to 1,024 messages wait for a busy sink. Then the oldest are dropped, and the sink gets a message with
/// their number. ``NetworkLogger/failureCount`` counts the errors.
///
/// Show ``LogEvent/visibleMessage``, unless the reader may see private text.
///
/// ```swift
/// struct CountingSink: LogSink {
///     let errors: Counter
///     func write(_ event: LogEvent) {
///         if event.level >= .error { errors.increment() }
///     }
/// }
/// ```
public protocol LogSink: Sendable {
    /// Writes one message.
    func write(_ event: LogEvent) throws
}

/// Passes each message to a closure, as a bridge to other logging libraries and to tests.
///
/// ```swift
/// let swiftLog = Logging.Logger(label: "networking")
/// let logger = NetworkLogger(sinks: [ClosureSink { event in
///     swiftLog.log(level: event.level >= .error ? .error : .info, "\(event.visibleMessage)")
/// }])
/// ```
public struct ClosureSink: LogSink {
    private let body: @Sendable (LogEvent) throws -> Void

    public init(_ body: @escaping @Sendable (LogEvent) throws -> Void) { self.body = body }

    public func write(_ event: LogEvent) throws { try body(event) }
}

/// Writes each message to standard error in one piece: date, level, category, request, message.
///
/// Messages that are not public appear as `<private>`. Control characters are escaped, and further lines are indented.
public struct StandardErrorSink: LogSink {
    private let showsPrivate: Bool
    private let output: @Sendable (Data) throws -> Void

    /// Creates a sink.
    ///
    /// - Parameter showsPrivate: whether to show private and sensitive messages. For debugging only.
    public init(showsPrivate: Bool = false) {
        self.init(showsPrivate: showsPrivate) { try FileHandle.standardError.write(contentsOf: $0) }
    }

    init(showsPrivate: Bool, output: @escaping @Sendable (Data) throws -> Void) {
        self.showsPrivate = showsPrivate
        self.output = output
    }

    /// - Throws: the system's error, for instance if standard error is closed.
    public func write(_ event: LogEvent) throws {
        try output(Data(LogLine.text(of: event, showsPrivate: showsPrivate).utf8))
    }
}

/// Formats an event for files and terminals.
enum LogLine {
    /// Returns a line: date, level, category, request, message. Further lines of the message are indented and repeat the request,
    /// so that a search for the request finds them.
    ///
    /// Control characters are escaped, so that text from a server cannot fake a line of its own or control the terminal.
    static func text(of event: LogEvent, showsPrivate: Bool) -> String {
        let date = event.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let request = event.requestID.map { "\($0) " } ?? ""
        let message = showsPrivate ? event.message : event.visibleMessage
        return
            "\(date) \(event.level) \(event.category) \(request)\(printable(message, indentation: "    \(request)"))\n"
    }

    private static func printable(_ message: String, indentation: String) -> String {
        var text = ""
        for scalar in message.unicodeScalars {
            switch scalar {
            case "\n": text += "\n" + indentation
            case "\u{2028}", "\u{2029}": text += scalar.escaped(asASCII: true)
            case _ where scalar.properties.generalCategory == .control: text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
