import NetCore

/// Holds back a request before any socket is opened if the device is known to be offline: fails it, or lets it wait.
///
/// It stands behind the cache, so that what is stored is still served, and before retry, so that waiting costs no attempt.
/// Loopback and local hosts are let through: they need no internet.
struct OfflineGuard: HTTPInterceptor {
    let monitor: any ConnectionMonitoring
    var policy = OfflinePolicy.failImmediately
    /// Wakes those that wait when the client is shut down.
    var gate = CallGate()

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        if !monitor.isReachable, !policy.isLocal(request.url) { try await handle(request, context: next.context) }
        return try await next(request)
    }

    /// Returns when the device is online again.
    private func handle(_ request: URLRequest, context: RequestContext) async throws {
        func failure(_ cause: NetworkError, dueTo underlying: NetworkError? = nil) -> NetworkFailure {
            NetworkFailure(
                cause: cause, request: RequestSnapshot(request), underlyingError: underlying,
                timestamp: context.clock.now)
        }
        guard case .wait(let timeout) = policy.behavior else { throw failure(.noInternetConnection) }
        let remaining = context.timeRemaining ?? .infinity
        let patience = timeout ?? .infinity
        switch try await gate.run({
            try await Self.wait(for: monitor, upTo: min(patience, remaining), clock: context.clock)
        })
        {
        case .online: return
        case .expired where remaining <= patience: throw failure(.timeout, dueTo: .noInternetConnection)
        case .expired: throw failure(.noInternetConnection)
        case .noNews:
            throw failure(
                .noInternetConnection,
                dueTo: .unsupported("This connection monitor tells of no changes, so nothing can wait for them."))
        }
    }

    private enum News {
        case online
        case expired
        case noNews
    }

    private static func wait(
        for monitor: any ConnectionMonitoring, upTo limit: TimeInterval, clock: any NetworkClock
    ) async throws -> News {
        // NaN, like what is past, is no time at all.
        guard limit > 0 else { return .expired }
        let statuses = monitor.statuses
        return try await withThrowingTaskGroup(of: News.self) { group in
            group.addTask {
                for await status in statuses where status.isReachable { return .online }
                // A stream also ends when its reader is cancelled.
                try Task.checkCancellation()
                return .noNews
            }
            if limit < .infinity {
                group.addTask {
                    try await clock.sleep(for: limit)
                    return .expired
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .noNews
        }
    }
}
