/// Stands where the cache would, behind interceptors that could ask for one: asking for what is not there is an error.
struct CacheAbsence: HTTPInterceptor {
    var handlesUpgrades: Bool { false }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try Self.refuse(next.context)
        return try await next(request)
    }

    static func refuse(_ context: RequestContext) throws {
        let policy = context.cachePolicy
        if policy?.useCache == true || policy?.storeCache == true || context[CachedKey.self] == true {
            throw NetworkError.unsupported("This client has no cache. Give it one, or leave out the cache policy.")
        }
    }
}
