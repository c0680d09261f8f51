public import NetCore

/// Stops sending to a host that fails, so that callers get their error at once and the host gets a rest (seed 004).
///
/// There is one circuit for each scheme, host and port. After ``failureThreshold`` failures in a row it opens: requests fail with
/// ``NetworkError/circuitOpen(host:until:)`` without being sent. After ``resetTimeout`` one request goes through as a trial, while others
/// still fail; if it succeeds the circuit closes, if it fails it is open for as long again.
///
/// ```swift
/// let breaker = CircuitBreaker(failureThreshold: 5, resetTimeout: 60)
/// let client = NetworkClient(interceptors: [breaker])
/// for await change in breaker.changes { print(change) }     // https://a.example:443: closed -> open
/// ```
///
/// - **What counts** as a failure is ``countsByDefault(_:)``: connections that could not be made or were lost, timeouts and 5xx. Any other
///   status shows that the server works, and starts the count again. A request that was cancelled, that a limit of this client's own
///   turned away (``LimitExceeded``), or that could not be sent for a reason on this side says nothing; if it was the trial, the
///   next request is. An attempt that began before the circuit changed counts no more.
/// - **The head decides.** A body that breaks off while it is read as a stream is not counted: the server has answered, and long
///   streams are cut for many reasons. Where the response is collected, an error of the transport counts, whenever it occurs.
/// - **A trial that takes longer than ``resetTimeout``** is given up: another may be made.
/// - **Many hosts:** only those that have failed have a circuit, and of those at most `maxCircuits`; beyond that, the ones that work
///   and the idle are forgotten first, which is the same as closing them.
///
/// Clients that share a breaker have to share their clock.
public final class CircuitBreaker: HTTPInterceptor {
    /// How many failures in a row open a circuit.
    public let failureThreshold: Int
    /// How long a circuit stays open, in seconds.
    public let resetTimeout: TimeInterval

    private let counts: @Sendable (NetworkError) -> Bool
    private let board: Locked<CircuitBoard>
    private let stream = ChangeStream<Change>()

    /// A breaker.
    ///
    /// - Parameters:
    ///   - failureThreshold: how many failures in a row open a circuit; less than one counts as one.
    ///   - resetTimeout: how long it stays open before a trial, in seconds; a negative number or NaN counts as zero.
    ///   - maxCircuits: how many hosts that have failed are remembered.
    ///   - counts: whether an error is a failure of the server. A response of 400 or more is asked for as
    ///     ``NetworkError/requestFailed(statusCode:data:)``, without data; one that does not count is a success.
    public init(
        failureThreshold: Int = 5,
        resetTimeout: TimeInterval = 60,
        maxCircuits: Int = 1_024,
        counts: @escaping @Sendable (NetworkError) -> Bool = { CircuitBreaker.countsByDefault($0) }
    ) {
        self.failureThreshold = max(1, failureThreshold)
        // Longer than a century is for ever, and infinity is no date.
        self.resetTimeout = resetTimeout > 0 ? min(resetTimeout, 100 * 365 * 86_400) : 0
        self.counts = counts
        board = Locked(
            CircuitBoard(
                failureThreshold: self.failureThreshold, resetTimeout: self.resetTimeout, capacity: max(1, maxCircuits))
        )
    }

    /// Whether an error is a failure of the server or of the way to it: refused, reset and lost connections, names that are not
    /// resolved, failed handshakes and proxies, timeouts, and the statuses 500 to 599.
    ///
    /// A server that breaks the rules of HTTP/2 (``TransportError/Code/protocolError`` and its like) is not out of order: only ten such
    /// errors in a row open a circuit.
    ///
    /// Being offline (``NetworkError/noInternetConnection``) is no fault of the host's, and a deadline that had passed before anything was
    /// sent neither.
    public static func countsByDefault(_ error: NetworkError) -> Bool {
        switch error {
        case .timeout, .networkUnavailable: return true
        case .requestFailed(let status, _): return (500..<600).contains(status)
        case .unknown(let error as TransportError):
            return error.isTransient || error.code == .tlsHandshakeFailed || error.code == .proxyFailed
        default: return false
        }
    }

    // MARK: What it knows

    /// The state of the circuit to which the URL belongs.
    public func state(for url: URL) -> State {
        guard let origin = url.origin, let circuit = board.withLock({ $0.circuits[origin] }) else { return .closed }
        return circuit.state(at: Moment(circuit.clock))
    }

    /// The states of all circuits that are open or half-open, by origin: `"https://api.example.com:443"`.
    public var openCircuits: [String: State] {
        var result: [String: State] = [:]
        for (origin, circuit) in board.withLock(\.circuits) {
            let state = circuit.state(at: Moment(circuit.clock))
            if state != .closed { result[origin.description] = state }
        }
        return result
    }

    /// The changes from now on; each reading of this property gives a stream of its own. The last 64 wait for a slow reader. It ends
    /// when the breaker is released.
    public var changes: AsyncStream<Change> { stream.stream(bufferingNewest: 64) }

    /// Closes the circuit to which the URL belongs, when it is known that the server works again.
    public func reset(_ url: URL) {
        guard let origin = url.origin, let clock = board.withLock({ $0.circuits[origin]?.clock }) else { return }
        let moment = Moment(clock)
        board.withLock { $0.reset(origin, at: moment, onChange: stream.append) }
        stream.deliver()
    }

    // MARK: The interceptor

    /// Sends the request on, or fails with ``NetworkError/circuitOpen(host:until:)``.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let ticket = try admit(request, next.context.clock)
        do {
            let response = try await next(request)
            let isFailure =
                response.status >= 400 && counts(.requestFailed(statusCode: response.status, data: nil))
            record(isFailure ? .failure : .success, of: ticket, request, next.context.clock)
            return response
        } catch {
            record(outcome(of: error), of: ticket, request, next.context.clock)
            throw error
        }
    }

    /// What an attempt was let through with, to be shown again with its outcome.
    private struct Ticket {
        /// Nil where nobody had to know it.
        var origin: Origin?
        var generation: UInt64 = 0
    }

    private func admit(_ request: URLRequest, _ clock: any NetworkClock) throws -> Ticket {
        // Where no host has failed, there is no need to find out which one this is.
        guard !board.withLock(\.isEmpty), let origin = request.url?.origin else { return Ticket() }
        let moment = Moment(clock)
        switch board.withLock({ $0.admit(origin, at: moment, clock: clock, onChange: stream.append) }) {
        case .granted(let generation, let isTrial):
            if isTrial { stream.deliver() }
            return Ticket(origin: origin, generation: generation)
        case .refused(let until):
            throw NetworkFailure(
                cause: .circuitOpen(host: origin.host, until: moment.date(of: until)),
                request: RequestSnapshot(request), timestamp: moment.now)
        }
    }

    private func record(
        _ outcome: CircuitOutcome, of ticket: Ticket, _ request: URLRequest, _ clock: any NetworkClock
    ) {
        if case .success = outcome, board.withLock(\.isEmpty) { return }
        guard let origin = ticket.origin ?? request.url?.origin else { return }
        let moment = Moment(clock)
        board.withLock {
            $0.record(
                outcome, of: ticket.generation, from: origin, at: moment, clock: clock, onChange: stream.append)
        }
        stream.deliver()
    }

    private func outcome(of error: any Error) -> CircuitOutcome {
        let failure = error as? NetworkFailure
        if failure?.underlyingError is LimitExceeded || failure?.transportError?.phase == .preparing { return .none }
        let error = failure?.cause ?? NetworkError(mapping: error)
        if error.isCancellation { return .none }
        if counts(error) { return .failure }
        return failure?.transportError?.isProtocolViolation == true ? .violation : .none
    }
}
