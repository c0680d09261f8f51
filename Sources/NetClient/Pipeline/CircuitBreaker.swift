/// Stops requests to a failing host: callers get their error at once, and the host can recover.
///
/// There is one circuit for each scheme, host and port. After ``failureThreshold`` failures in a row it opens: requests fail with
/// ``NetworkError/circuitOpen(host:until:)`` without being sent. After ``resetTimeout`` one request is sent as a trial, while others still fail.
/// If it succeeds, the circuit closes. If it fails, the circuit stays open for another ``resetTimeout``.
///
/// ```swift
/// let breaker = CircuitBreaker(failureThreshold: 5, resetTimeout: 60)
/// let client = NetworkClient(interceptors: [breaker])
/// for await change in breaker.changes { print(change) }     // https://a.example:443: closed -> open
/// ```
///
/// - **Failures** are by default those of ``countsByDefault(_:)``: connections that could not be made or were lost, timeouts and 5xx. Any other
///   status is a success, and resets the count. A request that was cancelled, refused by a limit of this client (``LimitExceeded``), or failed
///   on this side does not count; if it was the trial, the next request is. An attempt that began before the circuit changed does not count.
/// - **The head decides.** A streamed body that breaks off does not count, since long streams are cut for many reasons. If the response is
///   collected, an error of the transport counts whenever it occurs.
/// - **A trial that takes longer than ``resetTimeout``** is given up, and another one may begin.
/// - **Many hosts:** only hosts that have failed have a circuit, at most `maxCircuits`. Beyond that, working and idle circuits are removed first,
///   which closes them.
///
/// Clients that share a breaker must share their clock.
public final class CircuitBreaker: HTTPInterceptor {
    /// The number of failures in a row that opens a circuit.
    public let failureThreshold: Int
    /// The time that a circuit stays open, in seconds.
    public let resetTimeout: TimeInterval

    private let counts: @Sendable (NetworkError) -> Bool
    private let board: Locked<CircuitBoard>

    /// Creates a breaker.
    ///
    /// - Parameters:
    ///   - failureThreshold: the number of failures in a row that opens a circuit; less than one counts as one.
    ///   - resetTimeout: the time before a trial, in seconds; a negative number or NaN counts as zero.
    ///   - maxCircuits: the most circuits to keep.
    ///   - counts: whether an error is a failure of the server. A response with a status of 400 or more is passed as
    ///     ``NetworkError/requestFailed(statusCode:data:)`` without data. If it does not count, it is a success.
    public init(
        failureThreshold: Int = 5, resetTimeout: TimeInterval = 60, maxCircuits: Int = 1_024,
        counts: @escaping @Sendable (NetworkError) -> Bool = { CircuitBreaker.countsByDefault($0) }
    ) {
        self.failureThreshold = max(1, failureThreshold)
        // At most a century, since infinity is not a date.
        self.resetTimeout = resetTimeout > 0 ? min(resetTimeout, .longestWait) : 0
        self.counts = counts
        board = Locked(
            CircuitBoard(
                failureThreshold: self.failureThreshold, resetTimeout: self.resetTimeout, capacity: max(1, maxCircuits))
        )
    }

    /// Whether an error is a failure of the server or the network: refused, reset and lost connections, unresolved names, failed handshakes
    /// and proxies, timeouts, and the statuses 500 to 599.
    ///
    /// Protocol violations such as ``TransportError/Code/protocolError`` count less: ten in a row open a circuit.
    ///
    /// Being offline (``NetworkError/noInternetConnection``) is not a failure of the host, and neither is a deadline that passed before the
    /// request was sent.
    public static func countsByDefault(_ error: NetworkError) -> Bool {
        switch error {
        case .timeout, .networkUnavailable: return true
        case .requestFailed(let status, _): return (500..<600).contains(status)
        case .unknown(let error as TransportError):
            return error.isTransient || error.code == .tlsHandshakeFailed || error.code == .proxyFailed
        default: return false
        }
    }

    // MARK: State

    /// The state of the circuit of the URL's host.
    public func state(for url: URL) -> State {
        guard let origin = url.origin else { return .closed }
        let (circuit, clock) = board.withLock { ($0.circuits[origin], $0.clock) }
        return circuit?.state(at: ClockReading(clock)) ?? .closed
    }

    /// The states of all circuits that are open or half-open, by origin: `"https://api.example.com:443"`.
    public var openCircuits: [String: State] {
        let (circuits, clock) = board.withLock { ($0.circuits, $0.clock) }
        let time = ClockReading(clock)
        let states = circuits.map { ($0.key.description, $0.value.state(at: time)) }
        return Dictionary(uniqueKeysWithValues: states.filter { $0.1 != .closed })
    }

    /// The changes from now on. Each reading of the property gives a new stream, which keeps the newest 64 changes for a slow reader. It ends
    /// when the breaker is released.
    public var changes: AsyncStream<Change> { board.withLock(\.broadcast).stream(bufferingNewest: 64) }

    /// Closes the circuit of the URL's host.
    public func reset(_ url: URL) {
        guard let origin = url.origin else { return }
        let time = ClockReading(board.withLock(\.clock))
        board.withLock { $0.reset(origin, at: time) }
    }

    // MARK: The interceptor

    /// Sends the request on, or fails with ``NetworkError/circuitOpen(host:until:)``.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await admitAndSend(request, next)
    }

    private func record(
        _ outcome: CircuitOutcome, of ticket: Admission.Ticket, _ request: URLRequest, _ clock: any NetworkClock
    ) {
        if case .success = outcome, board.withLock({ $0.isEmpty }) { return }
        guard let origin = ticket.origin ?? request.url?.origin else { return }
        let time = ClockReading(clock)
        board.withLock { board in
            board.clock = clock
            board.record(outcome, of: ticket.generation, from: origin, at: time)
        }
    }

    private func outcome(of error: any Error) -> CircuitOutcome {
        let failure = error as? NetworkFailure
        if failure?.underlyingError is LimitExceeded || failure?.transportError?.phase == .preparing { return .none }
        let error = failure?.cause ?? NetworkError(error)
        if error.isCancellation { return .none }
        if counts(error) { return .failure }
        // The server's software failed, and not the connection to it.
        let violations: [TransportError.Code?] = [.protocolError, .flowControlError, .compressionError]
        return violations.contains(failure?.transportError?.code) ? .violation : .none
    }
}

extension CircuitBreaker: ImmediateInterceptor {
    package func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
        // Without failed hosts, the origin is not needed.
        guard !board.withLock({ $0.isEmpty }), let origin = request.origin else { return .passes(Admission.Ticket()) }
        let time = ClockReading(next.context.clock)
        switch board.withLock({ $0.admit(origin, at: time) }) {
        case .granted(let generation): return .passes(Admission.Ticket(origin: origin, generation: generation))
        case .refused(let until):
            throw NetworkFailure(
                cause: .circuitOpen(host: origin.host, until: time.date(of: until)),
                request: RequestSnapshot(request.request), timestamp: time.now)
        }
    }

    package func receive(
        _ response: inout TransportResponse, to request: URLRequest, _ ticket: Admission.Ticket, _ next: Next
    ) {
        let isFailure = response.status >= 400 && counts(.requestFailed(statusCode: response.status, data: nil))
        record(isFailure ? .failure : .success, of: ticket, request, next.context.clock)
    }

    package func receive(_ error: any Error, of request: URLRequest, _ ticket: Admission.Ticket, _ next: Next) {
        record(outcome(of: error), of: ticket, request, next.context.clock)
    }
}

extension CircuitBreaker {
    /// The state of a circuit.
    public enum State: Hashable, Sendable {
        /// Requests are sent.
        case closed
        /// Requests fail at once until that date. Then the next request is the trial.
        case open(until: Date)
        /// One request is sent as a trial. Others fail at once.
        case halfOpen
    }

    /// A change of a circuit's state.
    public struct Change: Hashable, Sendable, CustomStringConvertible {
        /// Scheme, host and port: `"https://api.example.com:443"`.
        public let origin: String
        /// The host alone, in lower case.
        public let host: String
        /// The previous state.
        public let from: State
        /// The new state.
        public let to: State
        /// The time of the change.
        public let date: Date

        /// The origin and the two states in one line.
        public var description: String { "\(origin): \(from.name) -> \(to.name)" }
    }
}

extension CircuitBreaker.State {
    /// `closed`, `open` or `half-open`.
    fileprivate var name: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        }
    }
}
