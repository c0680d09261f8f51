/// Runs a call: its hops, which redirects connect, the preparation of each hop, and its attempts.
///
/// It stands in the pipeline twice: as ``Hops`` outside of the cache, so that each hop has its own entry there, and as ``Attempts`` inside of
/// it, so that a stored response costs no attempt. ``RedirectHop`` decides about the next hop, ``RetryRun`` about the next attempt.
final class Runner: Sendable {
    let preparer: RequestPreparer
    let configuration: NetworkClient.Configuration
    /// The user's interceptors that may ask for a retry, in order.
    let hooks: [any RequestInterceptor]
    let answerers: [any ChallengeAnswering]
    /// Checks each later attempt; nil for a client that neither has a monitor nor waits to be online.
    let offlineGuard: OfflineGuard?
    /// Ends the sleep between attempts at a shutdown.
    let calls: InFlightCalls
    /// Whether it only refreshes refused credentials, and leaves all other retries to the client's runner.
    let refreshesOnly: Bool

    /// - Parameter interceptors: the user's, in order.
    init(
        _ configuration: NetworkClient.Configuration, preparer: RequestPreparer,
        interceptors: [any HTTPInterceptor] = [], offlineGuard: OfflineGuard? = nil,
        calls: InFlightCalls = InFlightCalls(), refreshesOnly: Bool = false
    ) {
        self.configuration = configuration
        self.preparer = preparer
        hooks = interceptors.compactMap { $0 as? any RequestInterceptor }
        answerers = interceptors.compactMap { $0 as? any ChallengeAnswering }
        self.offlineGuard = offlineGuard
        self.calls = calls
        self.refreshesOnly = refreshesOnly
    }

    // MARK: Hops

    /// Prepares the request of each hop before the cache sees it, and follows redirects.
    struct Hops: HTTPInterceptor {
        let runner: Runner

        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            if runner.configuration.cache == nil { try next.context.refuseCacheUse() }
            var hop = Hop(request: request, next: next)
            // A page or an upload that another origin's response has named is like a redirect.
            runner.noteOrigin(of: &hop)
            while true {
                var step = hop.next
                guard let ready = await runner.prepare(hop.request, &step) else {
                    return .gatewayTimeout(for: hop.request, clock: hop.next.context.clock)
                }
                let response: TransportResponse
                do { response = hop.addingRedirects(to: try await step(ready)) } catch {
                    throw hop.addingRedirects(to: error)
                }
                guard response.isRedirect, !runner.configuration.redirectPolicy.followsNone,
                    hop.next.context[FollowsRedirectsKey.self],
                    let following = try await runner.hop(after: response, of: hop)
                else { return response }
                hop = following
                // For the error of a call that ends at its deadline.
                if let last = hop.redirects?.value.last {
                    hop.next.context.pipeline.retryTrace?.withLock { $0.hops.append(last) }
                }
            }
        }
    }

    /// Notes whether the hop has another origin than the start of its call, where credentials of interceptors are left out.
    func noteOrigin(of hop: inout Hop) {
        if hop.next.isCrossOrigin(hop.request) {
            hop.next.context[CrossOriginHop.self] = CrossOriginHop(fields: credentials(hop.next.context))
        } else if hop.next.context[CrossOriginHop.self] != nil {
            hop.next.context[CrossOriginHop.self] = nil
        }
    }

    /// Prepares a request; `next` gets the preparation. Returns nil if the request accepts only a stored response, and the client has no cache.
    private func prepare(_ request: URLRequest, _ next: inout Next) async -> URLRequest? {
        var context = next.context
        if let provider = context[AuthenticationProviderKey.self] {
            context[CallCredentialsKey.self] = provider is NoAuthProvider ? [] : [AuthInterceptor(provider: provider)]
        }
        let prepared = await preparer.prepare(request, body: next.body, context: context, isSending: false)
        if configuration.cache == nil, prepared.request.acceptsOnlyStored { return nil }
        context.pipeline.prepared = prepared
        // An interceptor around the call may have set another one.
        context.pipeline.preparer = preparer
        next.set(body: prepared.body, context: context)
        return prepared.request
    }

    // MARK: Attempts

    /// Sends the attempts of a hop: the first here, and the others by a ``RetryRun``.
    struct Attempts: HTTPInterceptor {
        let runner: Runner

        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            let request = runner.firstRequest(request, next.context)
            var first = next
            let sendsOnce = runner.sendsOnce(next)
            // An interceptor that refreshes credentials is within an attempt of the client.
            if !sendsOnce, !runner.refreshesOnly, first.context.attempt != 0 { first.context.attempt = 0 }
            let result: Result<TransportResponse, any Error>
            do {
                let ready = sendsOnce ? request : try await runner.ready(request, attempt: 0, &first)
                let response = try await first(ready)
                if sendsOnce || runner.isSuccess(response, next.context) { return response }
                result = .success(response)
            } catch {
                if sendsOnce, !runner.mayRecover(from: error, request, next) { throw error }
                result = .failure(error)
            }
            // Consumed: a response that is kept would keep its connection.
            return try await runner.sendAgain(after: consume result, of: first, request, next)
        }
    }

    private func firstRequest(_ request: URLRequest, _ context: RequestContext) -> URLRequest {
        configuration.resilience.retryBudget?.noteCall(at: context.clock.uptime)
        guard policy(of: context).addsIdempotencyKey else { return request }
        var request = request
        request.addIdempotencyKey()
        return request
    }

    /// Whether only a stale connection, or the report that the device is offline, can cause another attempt.
    private func sendsOnce(_ next: Next) -> Bool {
        hooks.isEmpty && answerers.isEmpty && retryCount(of: next.context) <= 0
            && policy(of: next.context).maxRetries == 0 && next.context.pipeline.prepared?.isReady ?? true
            && next.body?.uncoded == nil && !preparer.hasCredentials(next.context)
            && next.context[OfflineFailureKey.self] == nil
    }

    private func isSuccess(_ response: TransportResponse, _ context: RequestContext) -> Bool {
        response.status < 400 && !refusals(of: context).contains(response.status)
    }

    private func mayRecover(from error: any Error, _ request: URLRequest, _ next: Next) -> Bool {
        guard let failure = error as? NetworkFailure else { return false }
        return mayReconnect(after: failure, request, next) || offlineGuard?.waits(after: failure) == true
    }

    private func sendAgain(
        after result: consuming Result<TransportResponse, any Error>, of first: Next, _ request: URLRequest,
        _ next: Next
    ) async throws -> TransportResponse {
        var run = RetryRun(runner: self, request: request, next: next)
        return try await run.response(after: consume result, of: first)
    }

    func policy(of context: RequestContext) -> RetryPolicy {
        refreshesOnly ? configuration.retryPolicy : context[RetryPolicyKey.self] ?? configuration.retryPolicy
    }

    /// The number of retries that the call asks for.
    func retryCount(of context: RequestContext) -> Int { refreshesOnly ? 0 : context[RetryCountKey.self] }

    /// The statuses that refuse credentials.
    func refusals(of context: RequestContext) -> Set<Int> {
        let policy = context[RetryPolicyKey.self]
        return (policy ?? configuration.retryPolicy).refusals(isOfCall: policy != nil)
    }

    /// Returns the request of an attempt, with valid credentials. A later attempt is prepared again, and `next` gets its preparation. Throws
    /// ``OfflineRefusal`` if the device is offline, or the error of the preparation.
    func ready(_ request: URLRequest, attempt: Int, _ next: inout Next) async throws -> URLRequest {
        if let failure = offlineGuard?.refusal(of: request, next.context, attempt: attempt) {
            throw OfflineRefusal(failure: failure)
        }
        guard let prepared = next.context.pipeline.prepared else { return request }
        var isCurrent = attempt == 0 && !prepared.isDeferred
        if isCurrent, let error = prepared.error { throw error }
        for (index, source) in preparer.sources(for: prepared.request, next.context).enumerated() {
            let generation = prepared.generations.indices.contains(index) ? prepared.generations[index] : nil
            if try await !source.refreshIfNeeded(prepared, generation: generation, next.context) { isCurrent = false }
        }
        return isCurrent ? request : try await next.prepareAgain(request)
    }
}

/// A request to one URL of a call, and what led to it.
struct Hop {
    var request: URLRequest
    /// The rest of the pipeline, without the preparation of a hop.
    var next: Next
    /// The redirects before this hop; nil for the first.
    private(set) var redirects: Boxed<Redirects>?

    /// The redirects before a hop.
    struct Redirects: Sendable {
        let count: Int
        /// Up to the last redirect.
        let trace: RetryTrace
        let last: RetryTrace.Redirect
    }
}

extension Hop {
    /// The hop that a redirect leads to.
    init(_ target: RedirectHop, after response: TransportResponse, of hop: Hop) {
        request = target.request
        next = hop.next
        next.body = target.body
        let redirect = RetryTrace.Redirect(
            url: response.url ?? hop.request.url, status: response.status, headers: response.headers)
        redirects = Boxed(
            Redirects(count: (hop.redirects?.value.count ?? 0) + 1, trace: response.retryTrace, last: redirect))
    }

    func addingRedirects(to response: TransportResponse) -> TransportResponse {
        guard let redirects = redirects?.value else { return response }
        var response = response
        response.retryTrace = redirects.trace.followed(by: response.retryTrace, over: redirects.last)
        return response
    }

    func addingRedirects(to error: any Error) -> any Error {
        guard let redirects = redirects?.value, var failure = error as? NetworkFailure else { return error }
        failure.retryTrace = redirects.trace.followed(by: failure.retryTrace, over: redirects.last)
        return failure
    }
}

extension TransportResponse {
    /// Whether the response redirects. 300 leaves the choice to the user, and 304 is not a redirect.
    var isRedirect: Bool {
        switch status {
        case 301, 302, 303, 307, 308: headers.contains(name: "Location")
        default: false
        }
    }
}

extension RetryPolicy {
    private static let defaultReauthenticationStatuses: Set<Int> = [401]

    /// The statuses that refuse credentials. If a client's policy has none, it is 401. If a call's policy has none, there is none.
    func refusals(isOfCall: Bool) -> Set<Int> {
        isOfCall || !reauthenticationStatuses.isEmpty ? reauthenticationStatuses : Self.defaultReauthenticationStatuses
    }
}

/// The number of retries of a call, in addition to the client's policy.
package enum RetryCountKey: RequestContext.Key {
    package static let defaultValue = 0
}
