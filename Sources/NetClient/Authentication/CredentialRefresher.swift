/// Refreshes credentials once for all requests that were refused with the same ones.
///
/// Credentials are identified by their *generation*: the number of refreshes that had ended when they were read. A refusal of an older
/// generation came late. It starts no refresh, and shares the outcome of the last one, credentials or an error. So one error ends all requests
/// that were in flight when it occurred, and a request that is sent afterwards may try again.
///
/// The refresh is a task of its own, which no request's cancellation ends: if its answer is lost, a refresh token that the server has replaced
/// is lost too. It runs to its end even if no request waits for it.
final class CredentialRefresher: Sendable {
    typealias Generation = UInt64
    typealias Operation = @Sendable () async throws -> Void

    struct RefreshTimeouts {
        /// The time that the request may wait, in seconds of ``clock``; nil and NaN for no limit.
        var timeRemaining: TimeInterval?
        var clock: any NetworkClock
        /// The time that the refresh may take, in seconds of ``refreshClock``.
        var refreshTimeout: TimeInterval
        var refreshClock: any NetworkClock
    }

    private struct State {
        var generation: Generation = 0
        /// The last generation with new credentials.
        var refreshed: Generation = 0
        /// The error of the last refresh, or nil if it succeeded.
        var failure: RefreshFailure?
        /// The number of the refresh in flight; nil for none.
        var flight: UInt64?
        var lastFlight: UInt64 = 0
        var waiters = WaiterList<Result<Void, any Error>>()

        /// The outcome for credentials of that generation, if it is known.
        func outcome(after generation: Generation) -> Result<Void, any Error>? {
            if generation < refreshed { return .success(()) }
            guard generation < self.generation, let failure else { return nil }
            return .failure(failure)
        }
    }

    private let state = Locked(State())

    /// Whether this task is the refresh. Its own requests get no credentials.
    var isRefreshing: Bool {
        let refreshers = RefreshScope.refreshers
        return !refreshers.isEmpty && refreshers.contains(ObjectIdentifier(self))
    }

    /// The generation of the current credentials. Waits for a refresh in flight, since it replaces refused credentials. If that fails, the
    /// request goes with the current ones, which were not refused for *this* request.
    func current(_ timeouts: @autoclosure () -> RefreshTimeouts) async throws -> Generation {
        let (generation, isIdle) = state.withLock { ($0.generation, $0.flight == nil) }
        if isIdle { return generation }
        do { try await refresh(after: generation, timeouts(), by: nil) } catch is RefreshFailure { return generation }
        return generationNow
    }

    /// The generation of the current credentials; nil during a refresh.
    var idleGeneration: Generation? { state.withLock { $0.flight == nil ? $0.generation : nil } }

    var generationNow: Generation { state.withLock { $0.generation } }

    /// Returns when there are newer credentials than those of the generation. Starts the operation unless a refresh is in flight; nil only waits for
    /// one.
    ///
    /// - Throws: ``RefreshFailure``; ``TransportError`` when the request's own time is up; `CancellationError` as soon as this task is cancelled.
    func refresh(after generation: Generation, _ timeouts: RefreshTimeouts, by operation: Operation?) async throws {
        if let left = timeouts.timeRemaining, left <= 0 { throw Self.outOfTime }
        let end: Void? = try await timeouts.clock.run(for: timeouts.timeRemaining) { [self] in
            try await state.wait(in: \.waiters, cancelled: .failure(CancellationError())) { state in
                if let outcome = state.outcome(after: generation) { return outcome }
                guard state.flight == nil else { return nil }
                guard let operation else { return .success(()) }
                state.lastFlight += 1
                state.flight = state.lastFlight
                // Its tasks wait for the lock.
                start(state.lastFlight, timeouts, operation)
                return nil
            }.get()
        }
        if end == nil { throw Self.outOfTime }
    }

    private static var outOfTime: TransportError {
        TransportError(
            .totalTimeout, phase: .preparing, message: "The call's time ran out while it waited for new credentials.")
    }

    private func start(_ flight: UInt64, _ timeouts: RefreshTimeouts, _ operation: @escaping Operation) {
        let worker = Task {
            try await RefreshScope.$refreshers.withValue(RefreshScope.refreshers + [ObjectIdentifier(self)]) {
                try await operation()
            }
        }
        let timer = Task {
            let seconds = timeouts.refreshTimeout > 0 ? timeouts.refreshTimeout : .infinity
            try await timeouts.refreshClock.sleep(for: seconds)
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
        let waiters = state.withLock { state -> [WaiterList<Result<Void, any Error>>.Waiter] in
            let isExpected = state.flight == flight
            switch result {
            case .success:
                // Also after the timeout: the credentials are valid.
                state.generation += 1
                state.refreshed = state.generation
                state.failure = nil
            case .failure(let failure):
                guard isExpected else { return [] }
                state.generation += 1
                state.failure = failure
            }
            guard isExpected else { return [] }
            state.flight = nil
            return state.waiters.popAll()
        }
        for waiter in waiters { waiter.resume(returning: result.mapError { $0 }) }
    }
}

struct RefreshFailure: Error {
    let underlyingError: any Error

    init(_ error: any Error) { underlyingError = error }

    static func timeout(_ seconds: TimeInterval) -> RefreshFailure {
        RefreshFailure(
            TransportError(
                .totalTimeout, phase: .preparing,
                message: "The refresh of the credentials took longer than \(String(format: "%g", seconds)) s."))
    }

    /// The cause for a refused request. An outage stays one, since the credentials may be good. Any other error leaves the refusal.
    func cause(ofStatus status: Int) -> NetworkError {
        let mapped = NetworkError(underlyingError)
        switch mapped {
        case .cancelled: return .requestFailed(statusCode: status, data: nil)
        case .requestFailed where !mapped.isRetryable: return .requestFailed(statusCode: status, data: nil)
        case .unknown(let error) where !(error is TransportError) && !(error is any CredentialsUnavailable):
            return .requestFailed(statusCode: status, data: nil)
        default: return mapped
        }
    }
}

/// Marks the tasks that refresh credentials. Their requests must not wait for requests that wait for the credentials.
///
/// Authentication passes such requests on unchanged. A limit on concurrent requests must let them pass too, because the requests that hold
/// its places may be waiting for the credentials.
enum RefreshScope {
    /// The ongoing refreshes of this task, the outermost first.
    @TaskLocal static var refreshers: [ObjectIdentifier] = []

    static var isActive: Bool { !refreshers.isEmpty }
}
