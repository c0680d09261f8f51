/// The requests that wait for a limit: by priority, within one by arrival.
///
/// After ``overtakingLimit`` turns in a row that overtook the oldest waiter, the oldest one is next, whatever its priority. So no request
/// starves, at any speed.
struct WaitingLine<Waiter> {
    /// The most turns in a row that may overtake.
    static var overtakingLimit: Int { 7 }

    /// By the raw value of the priority, each in order of arrival. Empty until the first waiter, since most lines stay empty.
    private var lanes: [ArraySlice<(id: UInt64, waiter: Waiter)>] = []
    private var overtakings = 0

    // Not with `\.isEmpty`, which a generic type makes anew at each call, in a microsecond.
    var isEmpty: Bool { lanes.allSatisfy { $0.isEmpty } }
    var count: Int { lanes.reduce(0) { $0 + $1.count } }

    /// The number of waiters before a new one of that priority.
    func count(before priority: RequestContext.Priority) -> Int {
        lanes.dropFirst(priority.rawValue).reduce(0) { $0 + $1.count }
    }

    /// - Parameter id: greater than the ids of earlier waiters.
    mutating func append(_ waiter: Waiter, id: UInt64, priority: RequestContext.Priority) {
        if lanes.isEmpty { lanes = Array(repeating: [], count: RequestContext.Priority.allCases.count) }
        lanes[priority.rawValue].append((id, waiter))
    }

    /// Removes and returns the waiter whose turn it is.
    mutating func popNext() -> Waiter? {
        func arrival(_ lane: Int) -> UInt64 { lanes[lane].first?.id ?? .max }
        guard let urgent = lanes.lastIndex(where: { !$0.isEmpty }),
            let oldest = lanes.indices.min(by: { arrival($0) < arrival($1) })
        else { return nil }
        let overtakes = urgent != oldest && overtakings < Self.overtakingLimit
        overtakings = overtakes ? overtakings + 1 : 0
        return lanes[overtakes ? urgent : oldest].removeFirst().waiter
    }

    /// Removes and returns a waiter; nil if it is not in the line.
    mutating func remove(_ id: UInt64) -> Waiter? {
        for lane in lanes.indices {
            guard let index = lanes[lane].firstIndex(where: { $0.id == id }) else { continue }
            // Calls mostly give up in order of arrival. Then the others need not move.
            if index == lanes[lane].startIndex { return lanes[lane].removeFirst().waiter }
            return lanes[lane].remove(at: index).waiter
        }
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

/// The number of requests that have waited in a line of the process.
private let lastLineID = Locked<UInt64>(0)

extension RequestContext {
    /// Waits for a turn in a limiter's line, until the call's deadline. Throws ``LimitExceeded`` in a failure, or a `CancellationError`.
    ///
    /// - Parameters:
    ///   - enter: takes a turn or a place in the line, given the id and the waiter. It runs on the waiting task, so that it sees an earlier
    ///     cancellation.
    ///   - quit: removes the waiter with that id; nil if it is not in the line.
    func waitInLine(
        of limit: LimitExceeded.Limit, at origin: Origin, for request: URLRequest,
        enter: @escaping @Sendable (UInt64, CheckedContinuation<Void, any Error>) -> LineEntry,
        quit: @escaping @Sendable (UInt64) -> CheckedContinuation<Void, any Error>?
    ) async throws {
        @Sendable func failure(_ reason: LimitExceeded.Reason) -> NetworkFailure {
            let error = LimitExceeded(limit: limit, reason: reason, host: origin.host)
            return NetworkFailure(
                cause: reason == .deadline ? .timeout : .unknown(error), request: RequestSnapshot(request),
                underlyingError: error, timestamp: clock.now)
        }
        let id = lastLineID.next()
        let calls = pipeline.group ?? InFlightCalls()
        let turn: Void? = try await calls.run(for: pipeline.call) { [clock, timeRemaining] in
            try await clock.run(for: timeRemaining) {
                try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { continuation in
                        switch enter(id, continuation) {
                        case .granted: continuation.resume()
                        case .full: continuation.resume(throwing: failure(.tooManyWaiting))
                        case .tooLate: continuation.resume(throwing: failure(.deadline))
                        case .cancelled: continuation.resume(throwing: CancellationError())
                        case .waiting: break
                        }
                    }
                } onCancel: {
                    quit(id)?.resume(throwing: CancellationError())
                }
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
