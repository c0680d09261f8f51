/// Who sits where in a client's pipeline: the recommended order, as code.
///
/// First is outermost. Once per call: `callInterceptors`, redirects, cache, offline guard, coalescing, retry. Once per attempt:
/// hedging, circuit breaker, rate and concurrency limits, authentication, `interceptors`, the transport.
package struct Seats: Sendable {
    package var callInterceptors: [any HTTPInterceptor] = []
    package var redirectPolicy = RedirectPolicy.default
    package var cache: (any HTTPInterceptor)?
    package var connectionMonitor: (any ConnectionMonitoring)?
    package var retryPolicy = RetryPolicy.none
    package var resilience = Resilience.none
    package var authenticationProvider: any AuthenticationProvider = .none
    package var interceptors: [any HTTPInterceptor] = []
    package var transport: any HTTPTransport = .configured
    package var random: @Sendable () -> Double = { Double.random(in: 0...1) }

    package init(
        callInterceptors: [any HTTPInterceptor], redirectPolicy: RedirectPolicy = .default,
        cache: (any HTTPInterceptor)?, connectionMonitor: (any ConnectionMonitoring)?, retryPolicy: RetryPolicy,
        resilience: Resilience = .none, authenticationProvider: any AuthenticationProvider = .none,
        interceptors: [any HTTPInterceptor],
        transport: any HTTPTransport, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.callInterceptors = callInterceptors.filter(\.isActive)
        self.redirectPolicy = redirectPolicy
        self.cache = cache
        self.connectionMonitor = connectionMonitor
        self.retryPolicy = retryPolicy
        self.resilience = resilience
        self.authenticationProvider = authenticationProvider
        self.interceptors = interceptors.filter(\.isActive)
        self.transport = transport
        self.random = random
    }

    /// Whose credentials the client has: those of its provider, or of the first ``AuthInterceptor`` in its lists.
    var credentials: ClientCredentials {
        let interceptor = (callInterceptors + interceptors).lazy.compactMap { $0 as? AuthInterceptor }.first
        let provider: (any AuthenticationProvider)? =
            authenticationProvider is NoAuthProvider ? interceptor?.authenticator.provider : authenticationProvider
        return ClientCredentials(provider: provider)
    }

    func chain(gate: CallGate) -> InterceptorChain {
        let hooks = (callInterceptors + interceptors).compactMap { $0 as? any RequestInterceptor }
        var list = Self.checked(callInterceptors)
        list.append(RedirectInterceptor(policy: redirectPolicy))
        if let cache {
            list.append(cache)
        } else if !callInterceptors.isEmpty {
            list.append(CacheAbsence())
        }
        if let connectionMonitor {
            list.append(OfflineGuard(monitor: connectionMonitor, policy: resilience.offline, gate: gate))
        }
        if let coalescer = resilience.coalescer { list.append(coalescer) }
        list.append(
            RetryInterceptor(
                policy: retryPolicy, hooks: hooks, budget: resilience.retryBudget,
                authenticationProvider: credentials.provider ?? .none, random: random, gate: gate))
        list += resilience.attemptInterceptors
        list.append(AuthenticationSeat(provider: authenticationProvider))
        list += Self.checked(interceptors)
        return InterceptorChain(interceptors: list, transport: transport)
    }

    /// A user's interceptors, and behind them what holds their work to the rules. Costs nothing where there are none.
    private static func checked(_ interceptors: [any HTTPInterceptor]) -> [any HTTPInterceptor] {
        interceptors.isEmpty ? [] : interceptors + [LoweringInterceptor()]
    }
}
