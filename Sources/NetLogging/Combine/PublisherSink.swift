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
