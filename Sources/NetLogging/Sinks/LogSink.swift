/// Where log messages go: a file, a console, another logging library.
///
/// It is called on the thread that logs, which may be one that serves a request: be quick, or hand over. It cannot throw; a
/// sink that cannot write has nobody to tell. Show ``LogEvent/visibleMessage``, unless the reader may see what is private.
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
    func write(_ event: LogEvent)
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
    private let body: @Sendable (LogEvent) -> Void

    /// A sink that calls the closure with each message, on the thread that logs.
    public init(_ body: @escaping @Sendable (LogEvent) -> Void) {
        self.body = body
    }

    /// Calls the closure.
    public func write(_ event: LogEvent) { body(event) }
}
