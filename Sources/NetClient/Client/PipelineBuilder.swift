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
        let all = callInterceptors + interceptors + finalInterceptors
        var list = Self.checked(callInterceptors)
        list.append(RedirectInterceptor(policy: configuration.redirectPolicy))
        list.append(PreparationInterceptor(preparer: preparer, hasCache: configuration.cache != nil))
        if let cache = configuration.cache {
            list.append(cache)
        } else if !callInterceptors.isEmpty {
            list.append(CacheAbsence())
        }
        let policy = configuration.resilience.offline
        // A policy that waits needs a monitor.
        let monitor =
            configuration.connectionMonitor
            ?? (policy.behavior == .failImmediately ? nil : DefaultConnectionMonitor())
        let offlineGuard = monitor.map { OfflineGuard(monitor: $0, policy: policy, calls: calls) }
        if let offlineGuard { list.append(offlineGuard) }
        if let coalescer = configuration.resilience.coalescer { list.append(coalescer) }
        list.append(
            RetryInterceptor(
                policy: configuration.retryPolicy, hooks: all.compactMap { $0 as? any RequestInterceptor },
                answerers: all.compactMap { $0 as? any ChallengeAnswering },
                budget: configuration.resilience.retryBudget, preparer: preparer, offlineGuard: offlineGuard,
                random: configuration.random, calls: calls))
        list += configuration.resilience.attemptInterceptors
        if preparer.hasOwnCredentials, configuration.resilience.makesRequestsWait {
            list.append(CurrentCredentials(preparer: preparer))
        }
        list += Self.checked(interceptors, withholdsCredentials: true)
        list += Self.checked(finalInterceptors)
        if let cookies = resources.cookies { list.append(CookieReceiver(store: cookies)) }
        return InterceptorChain(
            interceptors: list, transport: resources.transport.base, isPrepared: true,
            hiddenCredentials: resources.additions.record(
                of: interceptors, isSuspected: interceptors.contains(where: Self.mayHideCredentials)))
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
        guard !interceptors.isEmpty else { return [] }
        return interceptors.flatMap { interceptor -> [any HTTPInterceptor] in
            guard let owner = interceptor as? any HTTPInterceptor & CredentialOwner else { return [interceptor] }
            return [OwnedChanges(owner), OwnedChanges.End()]
        } + [RequestValidationInterceptor(withholdsCredentials: withholdsCredentials)]
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
            sources: (own + interceptors.compactMap { $0 as? AuthInterceptor }).map(CredentialSource.init),
            interceptors: interceptors, monitor: configuration.connectionMonitor,
            clientName: configuration.partition, connection: resources.transport.connectionIdentity,
            baseOrigin: configuration.environment?.baseURL.origin,
            compressor: RequestCompressor(
                setting: configuration.requestCompression, refusals: resources.codingRefusals))
    }
}

/// The call's `cached:`; nil for the client's rules.
enum CachedKey: RequestContextKey {
    static let defaultValue: Bool? = nil
}

extension RequestContext {
    /// Applies `cached:`, unless the call has a ``CachePolicy``.
    ///
    /// True enables the HTTP cache (RFC 9111) whatever the client's policy. False neither reads nor stores.
    ///
    /// - Throws: an error that describes the problem, for a method other than GET and HEAD.
    mutating func applyCacheChoice(to request: inout URLRequest) throws {
        guard let isCached = self[CachedKey.self], cachePolicy == nil else { return }
        guard isCached else {
            cachePolicy = .networkOnly
            return
        }
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        guard method == .get || method == .head else {
            throw RequestBuildingError("cached: true requires GET or HEAD. The request's method is \(method.rawValue).")
        }
        cachePolicy = CachePolicy(useCache: true, storeCache: true)
        request.cachePolicy = .useProtocolCachePolicy
    }
}

/// Takes the place of the cache in a client without one: a request that asks for a cache fails.
struct CacheAbsence: ImmediateInterceptor {
    var handlesUpgrades: Bool { false }

    func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
        try Self.refuse(next.context)
        return .passes(nil)
    }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await admitAndSend(request, next)
    }

    static func refuse(
        _ context: RequestContext,
        _ advice: String = "This client has no cache. Give it one, or leave out the cache policy."
    ) throws {
        let policy = context.cachePolicy
        if policy?.useCache == true || policy?.storeCache == true || context[CachedKey.self] == true {
            throw NetworkError.unsupported(advice)
        }
    }
}
