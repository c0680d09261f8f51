/// Builds the pipeline of a client: the recommended order, as code.
///
/// First is outermost. Once per call: `callInterceptors`, redirects. Once per hop: preparation, cache, offline guard, coalescing, retry.
/// Once per attempt: hedging, circuit breaker, rate and concurrency limits, `interceptors`, signers and answers to challenges, cookies
/// received, the transport.
struct PipelineBuilder {
    let preparer: RequestPreparer
    private let configuration: NetworkClient.Configuration
    private let resources: ClientResources
    private let callInterceptors: [any HTTPInterceptor]
    private let interceptors: [any HTTPInterceptor]

    init(_ configuration: NetworkClient.Configuration, _ resources: ClientResources) {
        self.configuration = configuration
        self.resources = resources
        callInterceptors = configuration.callInterceptors.filter(\.isActive)
        let active = configuration.interceptors.filter(\.isActive)
        interceptors = active.filter { !($0 is any FinalInterceptor) } + active.filter { $0 is any FinalInterceptor }
        preparer = RequestPreparer(configuration, resources, interceptors: callInterceptors + interceptors)
    }

    func chain(gate: CallGate) -> InterceptorChain {
        let all = callInterceptors + interceptors
        var list = Self.checked(callInterceptors)
        list.append(RedirectInterceptor(policy: configuration.redirectPolicy))
        list.append(PreparationInterceptor(preparer: preparer))
        if let cache = configuration.cache {
            list.append(cache)
        } else if !callInterceptors.isEmpty {
            list.append(CacheAbsence())
        }
        let offlineGuard = configuration.connectionMonitor.map {
            OfflineGuard(monitor: $0, policy: configuration.resilience.offline, gate: gate)
        }
        if let offlineGuard { list.append(offlineGuard) }
        if let coalescer = configuration.resilience.coalescer { list.append(coalescer) }
        list.append(
            RetryInterceptor(
                policy: configuration.retryPolicy, hooks: all.compactMap { $0 as? any RequestInterceptor },
                answerers: all.compactMap { $0 as? any ChallengeAnswering },
                budget: configuration.resilience.retryBudget, preparer: preparer, offlineGuard: offlineGuard,
                random: configuration.random, gate: gate))
        list += configuration.resilience.attemptInterceptors
        if preparer.hasOwnCredentials, configuration.resilience.makesRequestsWait {
            list.append(CurrentCredentials(preparer: preparer))
        }
        list += Self.checked(interceptors)
        if let cookies = resources.cookies { list.append(CookieReceiver(store: cookies)) }
        return InterceptorChain(interceptors: list, transport: resources.transport.base)
    }

    /// A user's interceptors, and behind them what holds their work to the rules. Costs nothing where there are none.
    private static func checked(_ interceptors: [any HTTPInterceptor]) -> [any HTTPInterceptor] {
        guard !interceptors.isEmpty else { return [] }
        return interceptors.flatMap { interceptor -> [any HTTPInterceptor] in
            interceptor is any CredentialOwner ? [OwnedChanges(interceptor), OwnedChanges.End()] : [interceptor]
        } + [RequestValidationInterceptor()]
    }
}
