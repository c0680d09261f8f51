import NetCore

/// Gets new credentials once for all requests that were refused with the same ones.
///
/// Credentials are known by their *generation*: how many refreshes had ended when they were read. A refusal of an older
/// generation than the present one starts no refresh: it came late, and shares what the refresh has brought, be it credentials
/// or an error. So one error ends all requests that were on their way when it happened, and a request that is sent
/// afterwards may try again.
///
/// The refresh is a task of its own, which nobody's cancellation ends: a refresh token that a server has replaced is lost if
/// the answer is. A refresh that nobody waits for any longer goes on to its end, and counts.
final class CredentialRefresher: Sendable {
    typealias Generation = UInt64
    typealias Operation = @Sendable () async throws -> Void

    /// How long to wait.
    struct Patience {
        /// For this request, in seconds of ``clock``; nil for as long as the refresh takes.
        var timeRemaining: TimeInterval?
        var clock: any NetworkClock
        /// For the refresh, in seconds of ``refreshClock``.
        var refreshTimeout: TimeInterval
        var refreshClock: any NetworkClock
    }

    private struct Flight {
        let id: UInt64
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    }

    private struct State {
        var generation: Generation = 0
        /// The last generation that brought new credentials.
        var renewed: Generation = 0
        /// What became of the last refresh, if that was nothing.
        var failure: RefreshFailure?
        var flight: Flight?
        var lastID: UInt64 = 0

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }

        /// What is known already to one whose credentials were of that generation.
        func outcome(after generation: Generation) -> Result<Void, any Error>? {
            if generation < renewed { return .success(()) }
            guard generation < self.generation, let failure else { return nil }
            return .failure(failure)
        }
    }

    private enum Step {
        case end(Result<Void, any Error>)
        case start(flight: UInt64)
        case wait
    }

    private let state = Locked(State())

    /// Whether this task is the refresh.
    var isRefreshing: Bool {
        let refreshers = RefreshScope.refreshers
        return !refreshers.isEmpty && refreshers.contains(ObjectIdentifier(self))
    }

    /// The generation of the credentials that can be read now. Waits for a refresh in flight, since what it replaces was
    /// refused; if that fails, nobody has refused *this* request: it goes with what there is.
    func current(_ patience: @autoclosure () -> Patience) async throws -> Generation {
        let (generation, isIdle) = state.withLock { ($0.generation, $0.flight == nil) }
        if isIdle { return generation }
        do {
            try await wait(after: generation, patience(), starting: nil)
        } catch is RefreshFailure {
            return generation
        }
        return generationNow
    }

    /// The generation, without waiting.
    var generationNow: Generation { state.withLock(\.generation) }

    /// Returns when there are newer credentials than those of the generation.
    ///
    /// - Throws: ``RefreshFailure``; ``TransportError`` when the request's own time is up; `CancellationError` as soon as this
    ///   task is cancelled.
    func renew(after generation: Generation, _ patience: Patience, by operation: @escaping Operation) async throws {
        try await wait(after: generation, patience, starting: operation)
    }

    private func wait(after generation: Generation, _ patience: Patience, starting operation: Operation?) async throws {
        if let left = patience.timeRemaining, !(left > 0) { throw Self.outOfTime }
        let id = state.withLock { $0.nextID() }
        let timer = Locked<Task<Void, any Error>?>(nil)
        defer { timer.withLock { $0?.cancel() } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let step = state.withLock { state -> Step in
                    // A cancellation from here on finds the waiter that is about to be noted.
                    if Task.isCancelled { return .end(.failure(CancellationError())) }
                    if let outcome = state.outcome(after: generation) { return .end(outcome) }
                    if state.flight != nil {
                        state.flight?.waiters[id] = continuation
                        return .wait
                    }
                    guard operation != nil else { return .end(.success(())) }
                    let flight = state.nextID()
                    state.flight = Flight(id: flight, waiters: [id: continuation])
                    return .start(flight: flight)
                }
                if case .end(let result) = step { return continuation.resume(with: result) }
                if let left = patience.timeRemaining {
                    timer.withLock { $0 = Task { try await self.expire(id, after: left, patience.clock) } }
                }
                if case .start(let flight) = step, let operation { start(flight, patience, operation) }
            }
        } onCancel: {
            leave(id, with: CancellationError())
        }
    }

    private static var outOfTime: TransportError {
        TransportError(
            .totalTimeout, phase: .preparing, message: "The call's time ran out while it waited for new credentials.")
    }

    private func expire(_ waiter: UInt64, after seconds: TimeInterval, _ clock: any NetworkClock) async throws {
        try await clock.sleep(for: seconds)
        leave(waiter, with: Self.outOfTime)
    }

    /// One waiter goes, the others stay.
    private func leave(_ waiter: UInt64, with error: any Error) {
        state.withLock { $0.flight?.waiters.removeValue(forKey: waiter) }?.resume(throwing: error)
    }

    private func start(_ flight: UInt64, _ patience: Patience, _ operation: @escaping Operation) {
        let worker = Task {
            try await RefreshScope.$refreshers.withValue(RefreshScope.refreshers + [ObjectIdentifier(self)]) {
                try await operation()
            }
        }
        let timer = Task {
            let seconds = patience.refreshTimeout > 0 ? patience.refreshTimeout : .infinity
            try await patience.refreshClock.sleep(for: seconds)
            end(flight, .failure(RefreshFailure.timeout(seconds)))
            worker.cancel()
        }
        Task {
            let result = await worker.result
            timer.cancel()
            end(flight, result.mapError(RefreshFailure.init))
        }
    }

    private func end(_ flight: UInt64, _ result: Result<Void, RefreshFailure>) {
        let waiters = state.withLock { state -> [UInt64: CheckedContinuation<Void, any Error>] in
            let isExpected = state.flight?.id == flight
            switch result {
            case .success:
                // Also those that came after the timeout: better late than never.
                state.generation += 1
                state.renewed = state.generation
                state.failure = nil
            case .failure(let failure):
                guard isExpected else { return [:] }
                state.generation += 1
                state.failure = failure
            }
            guard isExpected, let waiters = state.flight?.waiters else { return [:] }
            state.flight = nil
            return waiters
        }
        for waiter in waiters.values { waiter.resume(with: result.mapError { $0 }) }
    }
}

/// That there are no new credentials, and why.
struct RefreshFailure: Error {
    /// What the refresh threw.
    let underlyingError: any Error

    init(_ error: any Error) {
        underlyingError = error
    }

    static func timeout(_ seconds: TimeInterval) -> RefreshFailure {
        RefreshFailure(
            TransportError(
                .totalTimeout, phase: .preparing,
                message: "New credentials did not come within \(String(format: "%g", seconds)) s."))
    }

    /// What it means for a request that was refused: an outage stays one, since the credentials may be good; anything else
    /// leaves the refusal as it was.
    func cause(ofStatus status: Int) -> NetworkError {
        let mapped = NetworkError(mapping: underlyingError)
        switch mapped {
        case .cancelled: return .requestFailed(statusCode: status, data: nil)
        case .requestFailed where !mapped.isRetryable: return .requestFailed(statusCode: status, data: nil)
        case .unknown(let error) where !(error is TransportError) && !(error is any CredentialsUnavailable):
            return .requestFailed(statusCode: status, data: nil)
        default: return mapped
        }
    }
}
