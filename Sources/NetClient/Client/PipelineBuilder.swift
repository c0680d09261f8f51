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
    /// Signers and answers to challenges, which keep their own scope.
    private let finalInterceptors: [any HTTPInterceptor]

    init(_ configuration: NetworkClient.Configuration, _ resources: ClientResources) {
        self.configuration = configuration
        self.resources = resources
        callInterceptors = configuration.callInterceptors.filter(\.isActive)
        let active = configuration.interceptors.filter(\.isActive)
        interceptors = active.filter { !($0 is any FinalInterceptor) }
        finalInterceptors = active.filter { $0 is any FinalInterceptor }
        preparer = RequestPreparer(
            configuration, resources, interceptors: callInterceptors + interceptors + finalInterceptors)
    }

    func chain(calls: InFlightCalls) -> InterceptorChain {
        let resilience = configuration.resilience
        let policy = resilience.offline
        // A policy that waits needs a monitor.
        let monitor =
            configuration.connectionMonitor
            ?? (policy.behavior == .failImmediately ? nil : DefaultConnectionMonitor())
        let offlineGuard = monitor.map { OfflineGuard(monitor: $0, policy: policy, calls: calls) }
        let runner = Runner(
            preparer: preparer, interceptors: callInterceptors + interceptors + finalInterceptors,
            hasCache: configuration.cache != nil, redirectPolicy: configuration.redirectPolicy,
            retryPolicy: configuration.retryPolicy, budget: resilience.retryBudget,
            offlineGuard: offlineGuard, random: configuration.random, calls: calls)

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
            hiddenCredentials: resources.additions.record(
                of: interceptors, isSuspected: interceptors.contains(where: Self.mayHideCredentials)),
            receive: resources.cookies?.receive(_:to:))
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

extension RequestPreparer {
    convenience init(
        _ configuration: NetworkClient.Configuration, _ resources: ClientResources,
        interceptors: [any HTTPInterceptor]
    ) {
        let fields =
            configuration.harmlessFields.isEmpty
            ? .standard : CredentialFields(harmless: configuration.harmlessFields)
        let own = resources.authenticator.map { [$0] } ?? []
        self.init(
            fields: fields,
            identifying: IdentifyingFields(
                identifying: configuration.identifyingFields, shared: configuration.sharedFields),
            defaults: DefaultFields(
                environment: configuration.environment, additional: resources.settings.additionalHeaders,
                userAgent: configuration.userAgent, credentials: fields),
            cookies: resources.cookies,
            sources: own + interceptors.compactMap { $0 as? AuthInterceptor },
            interceptors: interceptors, monitor: configuration.connectionMonitor,
            clientName: configuration.partition, connection: resources.transport.connectionIdentity,
            baseOrigin: configuration.environment?.baseURL.origin,
            compressor: RequestCompressor(
                setting: configuration.requestCompression, refusals: resources.codingRefusals),
            // The outermost one's win.
            acceptedStatusCodes: interceptors.lazy.compactMap { ($0 as? ValidationInterceptor)?.validation.statusCodes }
                .first)
    }
}
