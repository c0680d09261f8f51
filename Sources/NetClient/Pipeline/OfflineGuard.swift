/// Fails a request before any socket is opened if the device is known to be offline.
///
/// It stands behind the cache, so that what is stored is still served. Loopback hosts are let through: they need no network.
struct OfflineGuard: HTTPInterceptor {
    let monitor: any ConnectionMonitoring

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        if !monitor.isReachable, request.url?.isLoopback != true {
            throw NetworkFailure(
                cause: .noInternetConnection, request: RequestSnapshot(request), timestamp: next.context.clock.now)
        }
        return try await next(request)
    }
}
