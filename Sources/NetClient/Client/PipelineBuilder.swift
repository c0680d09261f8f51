/// Builds the pipeline of a client: the order that ``NetworkClient`` describes, as code.
struct PipelineBuilder {
    let preparer: RequestPreparer
    private let configuration: NetworkClient.Configuration
    private let resources: ClientResources
    private let callInterceptors: [any HTTPInterceptor]
    private let interceptors: [any HTTPInterceptor]
    /// Signers and answers to challenges, which keep their own scope.
    private let finalInterceptors: [any HTTPInterceptor]
    private let all: [any HTTPInterceptor]

    init(_ configuration: NetworkClient.Configuration, _ resources: ClientResources) {
        self.configuration = configuration
        self.resources = resources
        callInterceptors = configuration.callInterceptors.filter(\.isActive)
        let active = configuration.interceptors.filter(\.isActive)
        interceptors = active.filter { !($0 is any FinalInterceptor) }
        finalInterceptors = active.filter { $0 is any FinalInterceptor }
        all = callInterceptors + interceptors + finalInterceptors
        preparer = RequestPreparer(
            configuration, resources,
            fields: configuration.harmlessFields.isEmpty
                ? .standard : CredentialFields(harmless: configuration.harmlessFields),
            sources: (resources.authenticator.map { [$0] } ?? []) + all.compactMap { $0 as? AuthInterceptor },
            interceptors: all, baseOrigin: configuration.environment?.baseURL.origin)
    }

    func chain(calls: InFlightCalls) -> InterceptorChain {
        let resilience = configuration.resilience
        let policy = resilience.offline
        // A policy that waits needs a monitor.
        let monitor =
            configuration.connectionMonitor ?? (policy.behavior == .failImmediately ? nil : DefaultConnectionMonitor())
        let offlineGuard = monitor.map { OfflineGuard(monitor: $0, policy: policy, calls: calls) }
        let runner = Runner(
            configuration, preparer: preparer, interceptors: all, offlineGuard: offlineGuard, calls: calls)
        let makesRequestsWait = resilience.rateLimiter != nil || resilience.concurrencyLimiter != nil
        let own: [(any HTTPInterceptor)?] = [
            Runner.Hops(runner: runner), configuration.cache, offlineGuard, resilience.coalescer,
            Runner.Attempts(runner: runner), resilience.hedging, resilience.circuitBreaker, resilience.rateLimiter,
            resilience.concurrencyLimiter,
            makesRequestsWait && preparer.hasOwnCredentials ? CurrentCredentials(preparer: preparer) : nil,
        ]
        let list =
            Self.checked(callInterceptors) + own.compactMap { $0 }
            + Self.checked(interceptors, withholdsCredentials: true) + Self.checked(finalInterceptors)
        return InterceptorChain(
            interceptors: list, transport: resources.transport.base, isPrepared: true,
            hiddenCredentials: resources.additions(
                by: interceptors, isSuspected: interceptors.contains(where: Self.mayHideCredentials)),
            keepsDeadlines: keepsDeadlines, receive: resources.cookies?.receive(_:to:))
    }

    /// See ``InterceptorChain/keepsDeadlines``. What is missing here may wait for the user's code or for a file.
    private var keepsDeadlines: Bool {
        resources.transport.keepsDeadlines && configuration.clock is SystemClock && all.isEmpty
            && configuration.cache == nil && !preparer.hasOwnCredentials
            && (configuration.redirectPolicy.decide == nil || configuration.redirectPolicy.followsNone)
            && configuration.retryPolicy.decide == nil
    }

    /// Whether an interceptor may add credentials that neither preparation sees nor an owner is named for.
    private static func mayHideCredentials(_ interceptor: any HTTPInterceptor) -> Bool {
        switch interceptor {
        case is any CredentialFreeInterceptor, is any ImmediateInterceptor, is any CredentialOwner,
            is any RequestInterceptor, is any Interceptor, is AuthInterceptor:
            false
        default: true
        }
    }

    /// A user's interceptors, followed by the validation of their requests.
    private static func checked(
        _ interceptors: [any HTTPInterceptor], withholdsCredentials: Bool = false
    ) -> [any HTTPInterceptor] {
        interceptors.isEmpty
            ? [] : interceptors + [RequestValidationInterceptor(withholdsCredentials: withholdsCredentials)]
    }
}
