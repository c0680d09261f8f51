#if canImport(os)
    import os

    /// Writes to Apple's unified log, with its privacy: Console shows `<private>` for what is not public.
    public struct OSLogSink: LogSink {
        private let logger: os.Logger

        /// A sink for one subsystem and category, by which Console filters.
        public init(
            subsystem: String = NetworkLogger.defaultSubsystem, category: String = NetworkLogger.defaultCategory
        ) {
            logger = os.Logger(subsystem: subsystem, category: category)
        }

        /// Writes the message. The system does so later, on a thread of its own: a logger calls this at once.
        public func write(_ event: LogEvent) {
            let request = event.requestID.map { "\($0) " } ?? ""
            // The privacy of an interpolation has to be a constant.
            switch event.privacy {
            case .public:
                logger.log(
                    level: event.level.osLogType, "\(request, privacy: .public)\(event.message, privacy: .public)")
            case .private:
                logger.log(
                    level: event.level.osLogType, "\(request, privacy: .public)\(event.message, privacy: .private)")
            case .sensitive:
                logger.log(
                    level: event.level.osLogType, "\(request, privacy: .public)\(event.message, privacy: .sensitive)")
            case .auto:
                logger.log(level: event.level.osLogType, "\(request, privacy: .public)\(event.message, privacy: .auto)")
            }
        }
    }

    extension LogLevel {
        /// The unified log has no level for warnings: Apple's `warning()` writes an error as well.
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

    /// Publishes each message with Combine (seed 000): for a console on the screen, or pipelines of one's own.
    ///
    /// ```
    /// let sink = PublisherSink()
    /// let logger = NetworkLogger(sinks: [sink])
    /// let errors = sink.events.filter { $0.level >= .error }.sink { event in … }
    /// ```
    ///
    /// A subscriber gets what is logged after it came, on the queue of the sink; one that has not asked for a value misses it. What may be
    /// shown to others is ``LogEvent/visibleMessage``.
    public struct PublisherSink: LogSink {
        // Unchecked, since Combine's subjects are not marked: any thread may send, as their documentation says.
        private nonisolated(unsafe) let subject = PassthroughSubject<LogEvent, Never>()

        /// A sink without subscribers.
        public init() {}

        /// The messages, from now on. It never ends.
        public var events: AnyPublisher<LogEvent, Never> { subject.eraseToAnyPublisher() }

        /// Publishes the message.
        public func write(_ event: LogEvent) { subject.send(event) }
    }
#endif
