public import NetCache
import NetClient
import NetCore
import NetLogging

extension NetworkClient.Configuration {
    /// What the facade starts from: the process's configuration, a cache for requests with a ``CachePolicy``, and a monitor.
    static func facade(
        _ interceptor: (any HTTPInterceptor)?, _ cache: (any ResponseCaching)?,
        _ monitor: (any ConnectionMonitoring)?, _ partition: (@Sendable () -> String?)?, _ change: (inout Self) -> Void
    ) -> Self {
        var configuration = NetworkManager.clientConfiguration
        if let interceptor { configuration.interceptors = [interceptor] }
        if cache is ConfiguredResponseCache {
            configuration.cache = configuration.cache ?? CachePolicyInterceptor(cache: NetworkCache())
        } else {
            configuration.cache = cache.map { CachePolicyInterceptor(cache: $0) }
        }
        if monitor is DefaultConnectionMonitor {
            configuration.connectionMonitor = configuration.connectionMonitor ?? monitor
        } else {
            configuration.connectionMonitor = monitor
        }
        if let partition { configuration.partition = partition }
        change(&configuration)
        return configuration
    }

    /// With a logger of every request and response, seen before all other interceptors.
    func logging(to logger: NetworkLogger?) -> Self {
        guard let logger else { return self }
        var configuration = self
        configuration.callInterceptors.insert(LoggingInterceptor(level: .minimal, logger: logger), at: 0)
        return configuration
    }
}

/// Stands for the cache that ``NetworkManager`` was configured with, or a new one in memory, where a default argument cannot know which.
public struct ConfiguredResponseCache: ResponseCaching {
    /// Stores nothing: the facade uses the configured cache instead.
    public func setResponse(_ data: Data, for url: URL, expireTime: Date?) {}

    /// Finds nothing.
    public func getResponse(for url: URL) -> Data? { nil }

    /// Does nothing.
    public func clear() {}
}

extension ResponseCaching where Self == ConfiguredResponseCache {
    /// The cache that ``NetworkManager`` was configured with, or else a new one in memory.
    public static var configured: ConfiguredResponseCache { ConfiguredResponseCache() }
}
