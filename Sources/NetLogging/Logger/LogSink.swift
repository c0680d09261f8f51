import NetCore

/// Where log messages go: a file, a console, another logging library.
///
/// A ``NetworkLogger`` calls it one message at a time, on a queue that the sink has to itself: it may take its time, block, and throw, and
/// no request waits for it. While it is busy up to 1,024 messages wait; then the oldest are dropped, and the sink is told how many.
/// What it throws is counted: ``NetworkLogger/failureCount``.
///
/// Show ``LogEvent/visibleMessage``, unless the reader may see what is private.
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
    /// Takes one message.
    func write(_ event: LogEvent) throws
}

/// Hands each message to a closure: the bridge to other logging libraries, and to tests.
///
/// ```swift
/// let swiftLog = Logging.Logger(label: "networking")
/// let logger = NetworkLogger(sinks: [ClosureSink { event in
///     swiftLog.log(level: event.level >= .error ? .error : .info, "\(event.visibleMessage)")
/// }])
/// ```
public struct ClosureSink: LogSink {
    private let body: @Sendable (LogEvent) throws -> Void

    /// A sink that calls the closure with each message.
    public init(_ body: @escaping @Sendable (LogEvent) throws -> Void) {
        self.body = body
    }

    /// Calls the closure.
    public func write(_ event: LogEvent) throws { try body(event) }
}

/// Writes each message to standard error, in one piece: date, level, category, request, message.
///
/// Messages that are not public are shown as `<private>`. Control characters are escaped, and further lines indented.
public struct StandardErrorSink: LogSink {
    private let showsPrivate: Bool
    private let output: @Sendable (Data) throws -> Void

    /// A sink.
    ///
    /// - Parameter showsPrivate: whether private and sensitive messages are shown. For debugging only.
    public init(showsPrivate: Bool = false) {
        self.init(showsPrivate: showsPrivate) { try FileHandle.standardError.write(contentsOf: $0) }
    }

    init(showsPrivate: Bool, output: @escaping @Sendable (Data) throws -> Void) {
        self.showsPrivate = showsPrivate
        self.output = output
    }

    /// Writes the message.
    ///
    /// - Throws: what the system says: standard error may be closed.
    public func write(_ event: LogEvent) throws {
        try output(Data(LogLine.text(of: event, showsPrivate: showsPrivate).utf8))
    }
}

/// An event as text for files and terminals.
enum LogLine {
    /// A line: date, level, category, request, message. Further lines of the message are indented and name the request too, so that a search for
    /// it finds all that belongs to it.
    ///
    /// Control characters are escaped: what a server sent cannot pass for a line of its own or drive the terminal.
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
