#if canImport(os)
    import os

    /// Writes to Apple's unified log, with its privacy: Console shows `<private>` for messages that are not public.
    ///
    /// The unified log cuts a message after about 1 KiB. So a longer message is written in several, of at most 800 bytes each, which begin with
    /// their number: `[1/3]`.
    public struct OSLogSink: LogSink {
        private let subsystem: String
        private let category: String?

        /// Creates a sink for one subsystem.
        ///
        /// - Parameters:
        ///   - subsystem: the subsystem, by which Console filters.
        ///   - category: the category of all messages; nil for that of each: ``LogEvent/category``.
        public init(subsystem: String = NetworkLogger.defaultSubsystem, category: String? = nil) {
            self.subsystem = subsystem
            self.category = category
        }

        /// Writes the message. The system does so later on its own thread, so a logger calls this method directly.
        public func write(_ event: LogEvent) {
            let request = event.requestID.map { "\($0) " } ?? ""
            let parts = LogParts.of(event.message, limit: Self.limit - request.utf8.count)
            // The system keeps one log for each category.
            let logger = os.Logger(subsystem: subsystem, category: category ?? event.category)
            for part in parts { write(part, request, event, to: logger) }
        }

        /// In bytes.
        private static let limit = 800

        private func write(_ message: String, _ request: String, _ event: LogEvent, to logger: os.Logger) {
            // The privacy of an interpolation must be a constant.
            switch event.privacy {
            case .public:
                logger.log(level: event.level.osLogType, "\(request, privacy: .public)\(message, privacy: .public)")
            case .private:
                logger.log(level: event.level.osLogType, "\(request, privacy: .public)\(message, privacy: .private)")
            case .sensitive:
                logger.log(level: event.level.osLogType, "\(request, privacy: .public)\(message, privacy: .sensitive)")
            case .auto:
                logger.log(level: event.level.osLogType, "\(request, privacy: .public)\(message, privacy: .auto)")
            }
        }
    }

    extension LogEvent.Level {
        /// The unified log has no level for warnings: Apple's `warning()` logs an error as well.
        fileprivate var osLogType: OSLogType {
            switch self {
            case .debug: .debug
            case .info: .info
            case .notice: .default
            case .warning, .error: .error
            case .fault: .fault
            }
        }
    }
#endif

#if canImport(Combine)
    public import Combine

    /// Publishes each message with Combine, for a console on the screen, or other pipelines.
    ///
    /// ```
    /// let sink = PublisherSink()
    /// let logger = NetworkLogger(sinks: [sink])
    /// let errors = sink.events.filter { $0.level >= .error }.sink { event in … }
    /// ```
    ///
    /// A subscriber gets the messages after its subscription, on the queue of the sink. It misses a message for which it has not
    /// requested a value. Show ``LogEvent/visibleMessage`` to other people.
    public struct PublisherSink: LogSink {
        // Unchecked, since Combine's subjects are not marked as Sendable. Their documentation allows sending from any thread.
        private nonisolated(unsafe) let subject = PassthroughSubject<LogEvent, Never>()

        public init() {}

        /// The messages from now on. The publisher never ends.
        public var events: AnyPublisher<LogEvent, Never> { subject.eraseToAnyPublisher() }

        public func write(_ event: LogEvent) { subject.send(event) }
    }
#endif
