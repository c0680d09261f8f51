package import NetClient
package import NetCore

/// A call whose response is read as it arrives. It can be sent repeatedly, and builds the request each time.
package struct StreamCall: Sendable {
    let client: NetworkClient
    /// Whether its stream throws ``NetworkError``: see ``StreamErrors``.
    let isPlain: Bool
    let build: @Sendable () throws(NetworkFailure) -> BuiltCall

    package init(
        client: NetworkClient, isPlain: Bool = false,
        build: @escaping @Sendable () throws(NetworkFailure) -> BuiltCall
    ) {
        self.client = client
        self.isPlain = isPlain
        self.build = build
    }

    /// Sends the call. Returns the stream of an accepted response.
    package func stream() async throws(NetworkFailure) -> ResponseStream {
        let response = try await response(to: build())
        return ResponseStream(response, errors: errors(of: response))
    }

    func errors(of response: TransportResponse?) -> StreamErrors {
        StreamErrors(response, clock: client.clock, isPlain: isPlain)
    }

    /// Returns an accepted response. For any other, throws a failure with the start of the body.
    func response(to call: BuiltCall) async throws(NetworkFailure) -> TransportResponse {
        let response = try await client.send(call.request, body: call.body, context: call.context)
        let validation = call.context.validation
        guard
            ResponseValidation.accepts(
                response.status, among: validation?.statusCodes ?? response.pipeline.acceptedStatusCodes)
        else { throw await response.refusal(client.clock) }
        do {
            try validation?.validateContent(of: response, data: nil)
        } catch {
            throw NetworkFailure(serializing: error, response: response, data: Data(), timestamp: client.clock.now)
        }
        return response
    }
}

/// Wraps the errors of a stream's readers, once, with the response.
package struct StreamErrors: Sendable {
    /// Without its body, since an error must not hold a connection.
    private var response: TransportResponse?
    private let clock: any NetworkClock
    /// Whether to throw the ``NetworkError`` alone, as `Networking` does, instead of a ``NetworkFailure``.
    private let isPlain: Bool

    package init(_ response: TransportResponse?, clock: any NetworkClock, isPlain: Bool) {
        self.response = response
        self.response?.body = .empty
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

extension NetworkFailure {
    /// Whether the same request may succeed later. Streams that reconnect continue after such a failure.
    var mayPass: Bool { if case .circuitOpen = cause { true } else { isRetryable } }

    /// How long the server (`Retry-After`) or the circuit breaker refuses requests, in seconds; at most an hour.
    func requestedPause(now: Date) -> TimeInterval {
        if case .circuitOpen(_, let until) = cause { return min(until.timeIntervalSince(now), longestRequestedPause) }
        return min(response.flatMap { RetryAfter.seconds(in: $0.headers, now: now) } ?? 0, longestRequestedPause)
    }
}

/// The longest pause that a server may request, in seconds.
let longestRequestedPause: TimeInterval = 3600
