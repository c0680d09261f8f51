/// What a ``RetryPolicy`` is asked about: a request that has failed, and all that is known of it.
public struct RetryProposal: Sendable {
    /// The request as the caller wrote it, before the interceptors of an attempt.
    public let request: URLRequest
    /// What went wrong; ``NetworkError/requestFailed(statusCode:data:)`` for a status of 400 and above. Its
    /// ``NetworkFailure/request`` is the request as sent.
    public let failure: NetworkFailure
    /// How many times the request has been sent again already: 0 after the first attempt.
    public let attempt: Int
    /// Where the call's credentials come from: ``NoAuthProvider`` if there are none.
    public let authenticationProvider: any AuthenticationProvider
    /// The client's clock: sleep by it, if you have to, so that tests take no time.
    public let clock: any NetworkClock

    private let head: TransportResponse?

    /// A question, as the client asks it: public to test policies by themselves.
    ///
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - failure: what became of it.
    ///   - response: the response, if there was one.
    ///   - attempt: 0 for the first retry.
    ///   - authenticationProvider: where its credentials come from.
    ///   - clock: the client's.
    public init(
        request: URLRequest, failure: NetworkFailure, response: TransportResponse? = nil, attempt: Int = 0,
        authenticationProvider: any AuthenticationProvider = .none, clock: any NetworkClock = .system
    ) {
        self.request = request
        self.failure = failure
        head = response
        self.attempt = attempt
        self.authenticationProvider = authenticationProvider
        self.clock = clock
    }

    /// The same as ``failure``.
    public var error: NetworkFailure { failure }
    /// The response's head; nil if the request failed without one. Made anew at each access.
    public var response: HTTPURLResponse? { head?.httpURLResponse }
    /// The response's headers, none of them redacted; nil if there was no response.
    public var headers: HTTPHeaders? { head?.headers }
    /// The status code; nil if there was no response.
    public var statusCode: Int? { head?.status }
    /// The response's body; nil if there was no response. Of one that is read as a stream, the first MiB.
    public var data: Data? {
        if case .requestFailed(_, let data) = failure.cause { data } else { nil }
    }
}
