import NetCore

/// What the readers of a stream throw: every error once, with the response that it is about.
package struct StreamErrors: Sendable {
    /// Without its body: an error must not keep a connection.
    private let response: TransportResponse?
    private let clock: any NetworkClock
    /// Whether it is the error alone that is thrown, as `Networking` does, and not a ``NetworkFailure``.
    private let isPlain: Bool

    package init(_ response: TransportResponse?, clock: any NetworkClock, isPlain: Bool) {
        var head = response
        head?.body = .empty
        self.response = head
        self.clock = clock
        self.isPlain = isPlain
    }

    package func failure(_ error: any Error) -> NetworkFailure {
        NetworkFailure(
            wrapping: error, request: response?.request,
            response: response.map { ResponseSnapshot(statusCode: $0.status, headers: $0.headers) },
            timestamp: clock.now, retryAttempt: response?.attempt)
    }

    package func callAsFunction(_ error: any Error) -> any Error {
        let failure = failure(error)
        return isPlain ? failure.cause : failure
    }
}
