import NetCore

/// The responses of a ``LongPollingEndpoint``: see ``NetworkClientProtocol/poll(_:configuration:)``.
///
/// The sequence ends without an error, for any reason. Use ``throwing`` to get the error.
public struct LongPollingSequence<Response: Sendable>: AsyncSequence, Sendable {
    /// A response that is not empty.
    public typealias Element = Response

    let poll: LongPoll<Response>

    /// The same responses, with the failure that ended them.
    ///
    /// ```swift
    /// for try await messages in client.poll(MessagesEndpoint()).throwing { print(messages) }
    /// ```
    public var throwing: Throwing { Throwing(poll: poll) }

    /// Returns the first `count` responses. Nothing is requested after the last. A negative number counts as zero.
    public func first(_ count: Int) -> AsyncPrefixSequence<Self> {
        prefix(Swift.max(0, count))
    }

    /// Returns the responses before the first that does not satisfy a condition.
    public func `while`(
        _ condition: @escaping @Sendable (Response) async -> Bool
    ) -> AsyncPrefixWhileSequence<Self> {
        prefix(while: condition)
    }

    /// Sends a request when the first response is awaited.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: LongPollingRun(poll)) }

    /// Polls repeatedly.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var run: LongPollingRun<Response>

        /// Returns the next response, or nil when polling has stopped.
        public mutating func next() async -> Response? {
            try? await run.next()
        }
    }

    /// The responses of a ``LongPollingEndpoint``, with the failure that ended them.
    public struct Throwing: AsyncSequence, Sendable {
        /// A response that is not empty.
        public typealias Element = Response

        let poll: LongPoll<Response>

        /// Sends a request when the first response is awaited.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: LongPollingRun(poll)) }

        /// Polls repeatedly.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var run: LongPollingRun<Response>

            /// Returns the next response, or nil when the endpoint has stopped polling.
            ///
            /// - Throws: ``NetworkFailure``, also for a cancellation.
            public mutating func next() async throws -> Response? {
                try await run.next()
            }
        }
    }
}

/// Polls repeatedly, by the table of ``NetworkClientProtocol/poll(_:configuration:)``.
struct LongPollingRun<Response: Sendable> {
    private let poll: LongPoll<Response>
    private var errors = 0
    /// Whether the last poll timed out before the retry interval.
    private var wasHasty = false
    private var hasEnded = false

    init(_ poll: LongPoll<Response>) {
        self.poll = poll
    }

    /// Returns the next response that is not empty, or nil if the endpoint has stopped polling.
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

    /// Polls once. If there is no response, waits until the next poll is due.
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
            // The next poll follows at once. But a server or proxy that does not wait would be polled in a busy loop.
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

/// An endpoint's requests and times.
struct LongPoll<Response: Sendable>: Sendable {
    let clock: any NetworkClock
    let configuration: LongPollingConfiguration
    /// Returns nil for an empty response. Throws ``NetworkFailure``.
    let send: @Sendable () async throws -> Response?
    let shouldContinue: @Sendable (Response) -> Bool
}

extension NetworkFailure {
    /// Whether the server had no news before the timeout. A timeout of the connection is an error.
    fileprivate var isEmptyPoll: Bool {
        switch cause {
        case .timeout: transportError?.code != .connectTimeout
        case .requestFailed(let status, _): status == 408
        default: false
        }
    }
}
