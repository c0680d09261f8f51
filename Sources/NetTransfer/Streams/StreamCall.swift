package import NetClient
package import NetCore

/// A call whose response is read as it comes: can be sent again and again, and is lowered anew each time.
package struct StreamCall: Sendable {
    let client: NetworkClient
    /// Whether the errors of its stream are ``NetworkError``s: see ``StreamErrors``.
    let isPlain: Bool
    let prepare: @Sendable () throws(NetworkFailure) -> StreamRequest

    package init(
        client: NetworkClient, isPlain: Bool = false,
        prepare: @escaping @Sendable () throws(NetworkFailure) -> StreamRequest
    ) {
        self.client = client
        self.isPlain = isPlain
        self.prepare = prepare
    }

    /// Sends it, and gives the stream of a response that is accepted.
    package func stream() async throws(NetworkFailure) -> ResponseStream {
        let response = try await response(to: prepare())
        return ResponseStream(response, errors: errors(of: response))
    }

    func errors(of response: TransportResponse?) -> StreamErrors {
        StreamErrors(response, clock: client.clock, isPlain: isPlain)
    }

    /// The response, if it is accepted: else the failure, with the start of the body, which says why.
    func response(to call: StreamRequest) async throws(NetworkFailure) -> TransportResponse {
        let response = try await client.send(call.request, body: call.body, context: call.context)
        let validation = call.context.validation
        guard
            ResponseValidation.accepts(response.status, among: validation?.statusCodes ?? response.acceptedStatusCodes)
        else {
            let body: Data?
            do {
                body = try await response.body.prefix(upTo: Self.errorBodyLimit)
            } catch is CancellationError {
                throw NetworkFailure(cause: .cancelled, timestamp: client.clock.now)
            } catch {
                body = nil
            }
            throw NetworkFailure(response: response, data: body, timestamp: client.clock.now)
        }
        do {
            try validation?.validateContent(of: response, data: nil)
        } catch {
            throw NetworkFailure(
                serializing: error, response: response, data: Data(), timestamp: client.clock.now)
        }
        return response
    }

    /// Of the body of a response that is not accepted, this much is kept.
    private static let errorBodyLimit = 1 << 20
}

/// What a ``StreamCall`` sends.
package struct StreamRequest: Sendable {
    var request: URLRequest
    let body: HTTPBody?
    var context: RequestContext

    package init(request: URLRequest, body: HTTPBody?, context: RequestContext) {
        self.request = request
        self.body = body
        self.context = context
    }

    package init(_ call: PreparedCall) {
        self.init(request: call.request, body: call.body, context: call.context)
    }
}

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

extension NetworkFailure {
    /// Whether the same request may succeed later: what a stream that connects again and again goes on after.
    var mayPass: Bool {
        if case .circuitOpen = cause { return true }
        return isRetryable
    }

    /// For how long, in seconds, the server (`Retry-After`) or the circuit breaker wants no further request: an hour at the most.
    func requestedPause(now: Date) -> TimeInterval {
        let wanted =
            if case .circuitOpen(_, let until) = cause {
                until.timeIntervalSince(now)
            } else {
                response.flatMap { RetryAfter.seconds(in: $0.headers, now: now) } ?? 0
            }
        return min(wanted, longestRequestedPause)
    }
}

/// What a server may ask for, in seconds: nobody looks at a stream that waits for a year.
let longestRequestedPause: TimeInterval = 3600
