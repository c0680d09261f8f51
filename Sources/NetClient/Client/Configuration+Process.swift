import NetCore

/// Whether one call wants the cache: `cached:` of the call; nil for the client's own rules.
enum CachedKey: RequestContextKey {
    static let defaultValue: Bool? = nil
}

extension RequestContext {
    /// Does what `cached:` says, unless a ``CachePolicy`` says more.
    ///
    /// True is the HTTP cache in full (RFC 9111), whatever the client's policy. False neither looks up nor stores.
    ///
    /// - Throws: ``RequestBuildingError`` for a method that a cache does not answer.
    mutating func applyCacheChoice(to request: inout URLRequest) throws {
        guard let isCached = self[CachedKey.self], cachePolicy == nil else { return }
        guard isCached else {
            cachePolicy = .networkOnly
            return
        }
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        guard method == .get || method == .head else {
            throw RequestBuildingError("cached: true is for GET and HEAD. The request's method is \(method.rawValue).")
        }
        cachePolicy = CachePolicy(useCache: true, storeCache: true)
        request.cachePolicy = .useProtocolCachePolicy
    }
}

extension NetworkClient.Configuration {
    /// What clients of the process start from, with changes.
    static func process(_ change: (inout Self) -> Void) -> Self {
        var configuration = NetworkManager.clientConfiguration
        change(&configuration)
        return configuration
    }

    /// The environment and the credentials of an initialiser. Those of ``NetworkManager`` are for its own base URL.
    mutating func setEnvironment(
        _ environment: (any NetworkEnvironment)?, _ provider: any AuthenticationProvider
    ) {
        if let environment { self.environment = environment }
        if !(provider is ConfiguredAuthenticationProvider) {
            authenticationProvider = provider
        } else if environment != nil {
            authenticationProvider = .none
        }
    }

    /// Fills in what a request of Foundation's leaves at its defaults. Foundation does not say whether a timeout of 60 s was set.
    func complete(_ request: inout URLRequest, _ context: RequestContext) {
        if request.timeoutInterval == 60, let seconds = usualTimeout, seconds > 0,
            seconds != 60
        {
            request.timeoutInterval = seconds
        }
        if request.cachePolicy == .useProtocolCachePolicy {
            let usual = usualCachePolicy(besides: context.cachePolicy)
            if usual != .useProtocolCachePolicy { request.cachePolicy = usual }
        }
    }

    /// The timeout, in seconds, of requests that say nothing of it; nil for Foundation's.
    var usualTimeout: TimeInterval? { timeoutInterval ?? environment?.timeout }

    /// The policy of requests that say nothing of it. A ``CachePolicy`` of the call says what the cache does, in place of the client's.
    func usualCachePolicy(besides own: CachePolicy?) -> URLRequest.CachePolicy {
        own == nil ? cachePolicy : .useProtocolCachePolicy
    }
}

/// Stands for the provider that ``NetworkManager`` has, where a default argument cannot know whether it is to be used.
public struct ConfiguredAuthenticationProvider: AuthenticationProvider {
    /// Leaves the request as it is: the client uses the configured provider instead.
    public func authenticate(_ request: inout URLRequest) async throws {}

    /// Does nothing.
    public func reauthenticate() async throws {}
}

extension AuthenticationProvider where Self == ConfiguredAuthenticationProvider {
    /// The one that ``NetworkManager`` was configured with.
    public static var configured: ConfiguredAuthenticationProvider { ConfiguredAuthenticationProvider() }
}
