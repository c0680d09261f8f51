import NetCore

/// The responses of a ``LongPollingEndpoint``: see ``NetworkClientProtocol/poll(_:configuration:)``.
///
/// The sequence ends without an error, for any reason. Use ``throwing`` to get the error.
public struct LongPollingSequence<Response: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Response

    let run: LongPollingRun<Response>

    /// The same responses, with the failure that ended them.
    ///
    /// ```swift
    /// for try await messages in client.poll(MessagesEndpoint()).throwing { print(messages) }
    /// ```
    public var throwing: ResponseStream.Values<Response> {
        ResponseStream.Values {
            var run = run
            return { try await run.next() }
        }
    }

    /// Returns the first `count` responses. Nothing is requested after the last. A negative number counts as zero.
    public func first(_ count: Int) -> AsyncPrefixSequence<Self> { prefix(Swift.max(0, count)) }

    /// Returns the responses before the first that does not satisfy a condition.
    public func `while`(_ condition: @escaping @Sendable (Response) async -> Bool) -> AsyncPrefixWhileSequence<Self> {
        prefix(while: condition)
    }

    /// Sends a request when the first response is awaited.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: run) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var run: LongPollingRun<Response>

        /// Returns the next response, or nil when polling has stopped.
        public mutating func next() async -> Response? { try? await run.next() }
    }
}

/// Polls repeatedly, by the table of ``NetworkClientProtocol/poll(_:configuration:)``.
struct LongPollingRun<Response: Sendable>: Sendable {
    let clock: any NetworkClock
    let configuration: LongPollingConfiguration
    /// Returns nil for an empty response. Throws ``NetworkFailure``.
    let send: @Sendable () async throws -> Response?
    let shouldContinue: @Sendable (Response) -> Bool

    var errors = 0
    /// Whether the last poll timed out before the retry interval.
    var wasHasty = false
    var hasEnded = false

    /// Returns the next response that is not empty, or nil if the endpoint has stopped polling.
    mutating func next() async throws(NetworkFailure) -> Response? {
        guard !hasEnded else { return nil }
        do {
            while true {
                try Task.checkCancellation()
                if let response = try await ask() {
                    hasEnded = !shouldContinue(response)
                    return response
                }
            }
        } catch {
            hasEnded = true
            throw NetworkFailure(wrapping: error, request: nil, timestamp: clock.now)
        }
    }

    /// Polls once. If there is no response, waits until the next poll is due.
    private mutating func ask() async throws -> Response? {
        let start = clock.uptime
        var isHasty = false
        defer { wasHasty = isHasty }
        do {
            let response = try await send()
            errors = 0
            if response == nil { try await clock.sleep(for: configuration.retryInterval) }
            return response
        } catch let failure as NetworkFailure where failure.isEmptyPoll {
            errors = 0
            let rest = configuration.retryInterval - (clock.uptime - start)
            isHasty = rest > 0
            // The next poll follows at once. But a server or proxy that does not wait would be polled in a busy loop.
            if isHasty, wasHasty { try await clock.sleep(for: rest) }
        } catch let failure as NetworkFailure {
            errors += 1
            guard failure.mayPass, errors < configuration.maxConsecutiveErrors else { throw failure }
            let interval = configuration.retryInterval * (failure.cause.statusCode == nil ? 2 : 1)
            try await clock.sleep(for: max(interval, failure.requestedPause(now: clock.now)))
        }
        return nil
    }
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
