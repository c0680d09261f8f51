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
