import NetCore

/// The answers of a ``LongPollingEndpoint`` (seed 003): see ``NetworkClientProtocol/poll(_:configuration:)``.
///
/// It ends without an error, whatever ended it. Where the reason matters, read ``throwing``.
public struct LongPollingSequence<Response: Sendable>: AsyncSequence, Sendable {
    /// An answer that is not empty.
    public typealias Element = Response

    let poll: LongPoll<Response>

    /// The same answers, with the failure that ended them.
    ///
    /// ```swift
    /// for try await messages in client.poll(MessagesEndpoint()).throwing { print(messages) }
    /// ```
    public var throwing: Throwing { Throwing(poll: poll) }

    /// Only that many answers. Nothing is asked for behind the last; a negative number counts as zero.
    public func first(_ count: Int) -> AsyncPrefixSequence<Self> {
        prefix(Swift.max(0, count))
    }

    /// The answers up to the first for which the condition does not hold; that one is not given.
    public func `while`(
        _ condition: @escaping @Sendable (Response) async -> Bool
    ) -> AsyncPrefixWhileSequence<Self> {
        prefix(while: condition)
    }

    /// Asks when the first answer is wanted.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: LongPollingRun(poll)) }

    /// Asks again and again.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var run: LongPollingRun<Response>

        /// The next answer; nil when polling has stopped.
        public mutating func next() async -> Response? {
            try? await run.next()
        }
    }

    /// The answers of a ``LongPollingEndpoint``, with the failure that ended them.
    public struct Throwing: AsyncSequence, Sendable {
        /// An answer that is not empty.
        public typealias Element = Response

        let poll: LongPoll<Response>

        /// Asks when the first answer is wanted.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: LongPollingRun(poll)) }

        /// Asks again and again.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var run: LongPollingRun<Response>

            /// The next answer; nil when the endpoint wants no more.
            ///
            /// - Throws: a ``NetworkFailure``; ``NetworkError/cancelled`` among them.
            public mutating func next() async throws -> Response? {
                try await run.next()
            }
        }
    }
}

/// Asks again and again, by the error table of seed 003.
struct LongPollingRun<Response: Sendable> {
    private let poll: LongPoll<Response>
    private var errors = 0
    /// Whether the last poll ended by a timeout sooner than one that waited would have.
    private var wasHasty = false
    private var hasEnded = false

    init(_ poll: LongPoll<Response>) {
        self.poll = poll
    }

    /// The next answer that is not empty; nil if the endpoint wanted no more.
    mutating func next() async throws(NetworkFailure) -> Response? {
        guard !hasEnded else { return nil }
        do {
            while true {
                try Task.checkCancellation()
                if let response = try await ask() {
                    hasEnded = !poll.shouldContinue(response)
                    return response
                }
            }
        } catch {
            hasEnded = true
            throw NetworkFailure(wrapping: error, request: nil, timestamp: poll.clock.now)
        }
    }

    /// Asks once. Waits for as long as is due if there was no answer.
    private mutating func ask() async throws -> Response? {
        let start = poll.clock.uptime
        var isHasty = false
        defer { wasHasty = isHasty }
        do {
            if let response = try await poll.send() {
                errors = 0
                return response
            }
            errors = 0
            try await poll.clock.sleep(for: poll.configuration.retryInterval)
        } catch let failure as NetworkFailure where failure.isEmptyPoll {
            errors = 0
            let rest = poll.configuration.retryInterval - (poll.clock.uptime - start)
            isHasty = rest > 0
            // At once. But a server, or something on the way, that says so without having waited would be asked in a circle.
            if isHasty, wasHasty { try await poll.clock.sleep(for: rest) }
        } catch let failure as NetworkFailure {
            errors += 1
            guard failure.mayPass, errors < poll.configuration.maxConsecutiveErrors else { throw failure }
            let interval = poll.configuration.retryInterval * (failure.cause.statusCode == nil ? 2 : 1)
            try await poll.clock.sleep(for: max(interval, failure.requestedPause(now: poll.clock.now)))
        }
        return nil
    }
}

/// What is asked, and how.
struct LongPoll<Response: Sendable>: Sendable {
    let clock: any NetworkClock
    let configuration: LongPollingConfiguration
    /// Gives nil for an answer that is empty; throws a ``NetworkFailure``.
    let send: @Sendable () async throws -> Response?
    let shouldContinue: @Sendable (Response) -> Bool
}

extension NetworkFailure {
    /// Whether the server had no news for as long as it was to wait. One that could not be connected to in time is another matter.
    fileprivate var isEmptyPoll: Bool {
        switch cause {
        case .timeout: transportError?.code != .connectTimeout
        case .requestFailed(let status, _): status == 408
        default: false
        }
    }
}
