extension NetworkClient.Configuration {
    /// Returns the process's configuration with the facade's parameters: a cache for requests with a ``CachePolicy``, and a monitor.
    static func facade(
        _ interceptor: (any HTTPInterceptor)?, _ cache: (any ResponseCaching)?,
        _ monitor: (any ConnectionMonitoring)?, _ partition: (@Sendable () -> String?)?, _ change: (inout Self) -> Void
    ) -> Self {
        var configuration = NetworkManager.clientConfiguration
        if let interceptor { configuration.interceptors = [interceptor] }
        if !(cache is ConfiguredResponseCache) {
            configuration.cache = cache.map { CachePolicyInterceptor(cache: $0) }
        } else if configuration.cache == nil {
            configuration.cache = CachePolicyInterceptor(cache: NetworkCache())
        }
        if !(monitor is DefaultConnectionMonitor) || configuration.connectionMonitor == nil {
            configuration.connectionMonitor = monitor
        }
        if let partition { configuration.partition = partition }
        change(&configuration)
        return configuration
    }

    /// Takes the settings of a `URLSessionConfiguration`. Its own `URLCache` becomes the store of a `ResponseCache`.
    mutating func setTransportAndCache(mapping session: URLSessionConfiguration, keepingCache: Bool) {
        let own = keepingCache ? nil : session.ownCache
        setTransport(mapping: session, takesCache: own != nil)
        if let own { cache = ResponseCache(store: URLCacheStore(own)) }
    }
}

extension Optional<any ResponseCaching> {
    /// The cache of the ``NetworkManager``'s configuration, or else a new one in memory.
    public static var configured: (any ResponseCaching)? { ConfiguredResponseCache() }
}

/// Stands for the configured cache in default arguments. It is replaced before any request, so it stores nothing.
struct ConfiguredResponseCache: ResponseCaching {
    func setResponse(_ data: Data, for url: URL, expireTime: Date?) {}
    func getResponse(for url: URL) -> Data? { nil }
    func clear() {}
}

extension HTTPTransport where Self == URLSessionTransport {
    /// Sends with the caller's `URLSession`. If that is not supported, each request throws the reason, since the initialisers of
    /// `Networking` do not throw.
    static func session(_ session: URLSession) -> any HTTPTransport {
        do {
            return try URLSessionTransport(session: session)
        } catch {
            return PlatformTransport(settings: .failure(error), isPlatformDefault: false)
        }
    }
}
