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
        guard isOffline(request) else { return try await next(request) }
        var next = next
        do {
            try await wait(request, context: next.context)
        } catch let failure as NetworkFailure where failure.cause == .noInternetConnection {
            // The retry engine gives it to the caller, unless a hook wants to try again.
            next.context[OfflineFailureKey.self] = failure
        }
        return try await next(request)
    }

    /// Why an attempt is refused while the device is offline; nil if it is not.
    ///
    /// - Parameter attempt: 0 for the first, about which this has decided already.
    func refusal(of request: URLRequest, _ context: RequestContext, attempt: Int) -> NetworkFailure? {
        if attempt == 0 { return context[OfflineFailureKey.self] }
        guard isOffline(request), policy.behavior == .failImmediately else { return nil }
        return failure(.noInternetConnection, request, context)
    }

    private func isOffline(_ request: URLRequest) -> Bool {
        let isOffline = (monitor as? DefaultConnectionMonitor)?.refuses ?? !monitor.isReachable
        return isOffline && !policy.isLocal(request.url)
    }

    private func failure(
        _ cause: NetworkError, _ request: URLRequest, _ context: RequestContext, dueTo underlying: NetworkError? = nil
    ) -> NetworkFailure {
        NetworkFailure(
            cause: cause, request: RequestSnapshot(request), underlyingError: underlying,
            timestamp: context.clock.now)
    }

    /// Returns when the device is online again.
    private func wait(_ request: URLRequest, context: RequestContext) async throws {
        func failure(_ cause: NetworkError, dueTo underlying: NetworkError? = nil) -> NetworkFailure {
            self.failure(cause, request, context, dueTo: underlying)
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

/// Why the first attempt of a call is refused; nil if the device is online.
enum OfflineFailureKey: RequestContextKey {
    static let defaultValue: NetworkFailure? = nil
}
