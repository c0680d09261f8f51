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
