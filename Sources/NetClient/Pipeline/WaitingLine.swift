/// The requests that wait for a limit: by priority, within one by arrival.
///
/// After ``overtakingLimit`` turns in a row that overtook the oldest waiter, the oldest one is next, whatever its priority. So no request
/// starves, at any speed.
struct WaitingLine<Waiter> {
    /// The most turns in a row that may overtake.
    static var overtakingLimit: Int { 7 }

    private struct Lane {
        /// In order of arrival. Ids of waiters that left are removed in bulk.
        var ids: [UInt64] = []
        var head = 0
        var count = 0
    }

    private var waiters: [UInt64: (waiter: Waiter, priority: RequestContext.Priority)] = [:]
    /// By the raw value of the priority; empty until the first waiter, since most lines stay empty.
    private var lanes: [Lane] = []
    private var overtakings = 0

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }
    /// The number of ids, those of waiters that left included.
    var idCount: Int { lanes.reduce(0) { $0 + $1.ids.count } }

    /// The number of waiters before a new one of that priority.
    func count(before priority: RequestContext.Priority) -> Int {
        lanes.isEmpty ? 0 : lanes[priority.rawValue...].reduce(0) { $0 + $1.count }
    }

    /// - Parameter id: greater than the ids of earlier waiters.
    mutating func append(_ waiter: Waiter, id: UInt64, priority: RequestContext.Priority) {
        if lanes.isEmpty { lanes = Array(repeating: Lane(), count: RequestContext.Priority.allCases.count) }
        waiters[id] = (waiter, priority)
        lanes[priority.rawValue].ids.append(id)
        lanes[priority.rawValue].count += 1
    }

    /// Removes and returns the waiter whose turn it is.
    mutating func popNext() -> Waiter? {
        var urgent: UInt64?
        var oldest: UInt64?
        for lane in lanes.indices.reversed() {
            guard let id = firstID(in: lane) else { continue }
            urgent = urgent ?? id
            oldest = min(oldest ?? id, id)
        }
        guard let urgent, let oldest else { return nil }
        if urgent == oldest || overtakings >= Self.overtakingLimit {
            overtakings = 0
            return remove(oldest)
        }
        overtakings += 1
        return remove(urgent)
    }

    /// Removes and returns a waiter; nil if it is not in the line.
    mutating func remove(_ id: UInt64) -> Waiter? {
        guard let (waiter, priority) = waiters.removeValue(forKey: id) else { return nil }
        var lane = Lane()
        swap(&lane, &lanes[priority.rawValue])
        lane.count -= 1
        // Most ids are of waiters that left: removing them together costs a constant time for each.
        if lane.ids.count - lane.head > 2 * lane.count + 16 {
            lane.ids = lane.ids[lane.head...].filter { waiters[$0] != nil }
            lane.head = 0
        }
        lanes[priority.rawValue] = lane
        return waiter
    }

    private mutating func firstID(in lane: Int) -> UInt64? {
        while lanes[lane].head < lanes[lane].ids.count {
            let id = lanes[lane].ids[lanes[lane].head]
            if waiters[id] != nil { return id }
            lanes[lane].head += 1
        }
        lanes[lane].ids.removeAll(keepingCapacity: true)
        lanes[lane].head = 0
        return nil
    }
}

/// The result of asking a limiter for a turn.
enum LineEntry {
    case granted
    /// The request is in the line. The code that removes it resumes its continuation.
    case waiting
    case full
    /// The turn would come after the call's deadline.
    case tooLate
    case cancelled
}

extension RequestContext {
    /// Waits for a turn in a limiter's line, until the call's deadline.
    ///
    /// - Parameters:
    ///   - enter: takes a turn or a place in the line. It runs on the waiting task, so that it sees an earlier cancellation.
    ///   - quit: leaves the line and resumes the waiter with `CancellationError`; does nothing if it is not in the line.
    /// - Throws: ``LimitExceeded`` in a failure, or `CancellationError`.
    func waitInLine(
        of limit: LimitExceeded.Limit, at origin: Origin, for request: URLRequest,
        enter: @escaping @Sendable (CheckedContinuation<Void, any Error>) -> LineEntry,
        quit: @escaping @Sendable () -> Void
    ) async throws {
        @Sendable func failure(_ reason: LimitExceeded.Reason) -> NetworkFailure {
            LimitExceeded(limit: limit, reason: reason, host: origin.host).failure(of: request, at: clock.now)
        }
        let turn: Void? = try await clock.run(for: timeRemaining) {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    switch enter(continuation) {
                    case .granted: continuation.resume()
                    case .full: continuation.resume(throwing: failure(.tooManyWaiting))
                    case .tooLate: continuation.resume(throwing: failure(.deadline))
                    case .cancelled: continuation.resume(throwing: CancellationError())
                    case .waiting: break
                    }
                }
            } onCancel: {
                quit()
            }
        }
        if turn == nil { throw failure(.deadline) }
    }
}

/// The reason why a limit of this client refused a request. Nothing was sent.
///
/// It is the ``NetworkFailure/underlyingError`` of the failure, whose cause is ``NetworkError/timeout`` for
/// ``Reason/deadline`` and ``NetworkError/unknown(_:)`` for ``Reason/tooManyWaiting``. ``CircuitBreaker`` does not count it.
public struct LimitExceeded: Error, Hashable, Sendable {
    /// The limits of a client.
    public enum Limit: String, Hashable, Sendable, CaseIterable {
        /// The number of requests in an interval: ``RateLimiter``.
        case rate
        /// The number of requests at the same time: ``ConcurrencyLimiter``.
        case concurrency
    }

    /// The reasons for a refusal.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The call's deadline passed in the line, or would have passed.
        case deadline
        /// The line was full.
        case tooManyWaiting = "too_many_waiting"
    }

    /// The exhausted limit.
    public let limit: Limit
    /// The reason for the refusal.
    public let reason: Reason
    /// The host, in lower case.
    public let host: String

    /// Creates an error, for limiters of your own: ``CircuitBreaker`` does not count it.
    public init(limit: Limit, reason: Reason, host: String) {
        self.limit = limit
        self.reason = reason
        self.host = host
    }

    func failure(of request: URLRequest, at time: Date) -> NetworkFailure {
        NetworkFailure(
            cause: reason == .deadline ? .timeout : .unknown(self), request: RequestSnapshot(request),
            underlyingError: self, timestamp: time)
    }
}

extension LimitExceeded: SecretFreeError, LocalizedError {
    public var description: String {
        switch reason {
        case .deadline: "The \(limit.rawValue) limit for \(host) left no turn before the call's deadline."
        case .tooManyWaiting: "The \(limit.rawValue) limit for \(host) has as many requests waiting as it allows."
        }
    }

    public var errorDescription: String? { description }
}
