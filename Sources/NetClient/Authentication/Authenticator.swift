import NetCore

/// Takes requests through one provider: with its credentials, and after a refusal once more with new ones.
///
/// A class, since what is known of the credentials (``CredentialRefresher``) is shared by all requests that carry them.
final class Authenticator: Sendable {
    let provider: any AuthenticationProvider
    private let refresher = CredentialRefresher()
    private let canReauthenticate: Bool
    private let entry: AuthenticatorRegistry.Entry?

    /// What is kept of the body of a refusal that is given to the caller, so that its connection is free for the refresh.
    private static let refusalLimit = 1 << 20

    init(_ provider: any AuthenticationProvider, entry: AuthenticatorRegistry.Entry? = nil) {
        self.provider = provider
        self.entry = entry
        canReauthenticate =
            (provider as? any OptionallyRenewed)?.canReauthenticate ?? !(provider is NoAuthProvider)
    }

    deinit {
        if let entry { AuthenticatorRegistry.shared.remove(entry) }
    }

    func send(_ request: URLRequest, next: Next, rules: CredentialRules) async throws -> TransportResponse {
        guard try rules.cover(request, in: next), request.url.map(provider.covers) ?? true, !refresher.isRefreshing
        else {
            return try await next(request)
        }

        var generation = try await refresher.current(patience(next, rules))
        if canReauthenticate, await provider.needsReauthentication(at: next.context.clock.now) {
            generation = try await renew(after: generation, request, refusal: nil, next, rules)
        }
        var response = try await sendAuthenticated(request, next: next)
        guard canReauthenticate, response.status >= 300,
            next.context[ReauthenticationStatusesKey.self].contains(response.status)
        else { return response }

        guard next.body?.isReplayable ?? true else {
            // This caller has to send it again, with a new body; by then there are new credentials.
            (_, response.body) = try await response.body.peek(upTo: Self.refusalLimit)
            _ = try await renew(after: generation, request, refusal: response, next, rules)
            return response
        }
        try await response.body.drain()
        _ = try await renew(after: generation, request, refusal: response, next, rules)
        return try await sendAgain(request, after: response, next: next)
    }

    /// With new credentials. The outcome tells of the refusal before.
    private func sendAgain(
        _ request: URLRequest, after refusal: TransportResponse, next: Next
    ) async throws -> TransportResponse {
        let retry = RetryTrace.Retry(
            after: NetworkFailure(response: refusal, data: nil, timestamp: next.context.clock.now),
            attempt: next.context.attempt, reason: .reauthentication)
        do {
            var response = try await sendAuthenticated(request, next: next)
            response.retryTrace.prepend(retry)
            return response
        } catch var failure as NetworkFailure {
            failure.retryTrace.prepend(retry)
            throw failure
        }
    }

    private func sendAuthenticated(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var authenticated = request
        var next = next
        try await provider.authenticate(&authenticated)
        // A token with a line break in it must not become a second header field.
        if let body = try authenticated.lower() { next.body = body }
        var response = try await next(authenticated)
        // Foundation's own comparison overlooks header fields.
        response.hasJarCookies =
            response.hasJarCookies || authenticated.url != request.url
            || authenticated.allHTTPHeaderFields != request.allHTTPHeaderFields
        return response
    }

    private func patience(_ next: Next, _ rules: CredentialRules) -> CredentialRefresher.Patience {
        CredentialRefresher.Patience(
            timeRemaining: next.context.timeRemaining, clock: next.context.clock,
            refreshTimeout: rules.refreshTimeout ?? CredentialRules.usualRefreshTimeout,
            refreshClock: rules.refreshTimeout == nil ? .system : next.context.clock)
    }

    private func renew(
        after generation: CredentialRefresher.Generation, _ request: URLRequest, refusal: TransportResponse?,
        _ next: Next, _ rules: CredentialRules
    ) async throws -> CredentialRefresher.Generation {
        do {
            try await refresher.renew(after: generation, patience(next, rules)) { [provider] in
                try await provider.reauthenticate()
            }
            return try await refresher.current(patience(next, rules))
        } catch let failure as RefreshFailure {
            throw NetworkFailure(
                cause: failure.cause(ofStatus: refusal?.status ?? 401),
                request: RequestSnapshot(refusal?.request ?? request),
                response: refusal.map {
                    ResponseSnapshot(statusCode: $0.status, headers: $0.headers, body: $0.body.data)
                },
                underlyingError: failure.underlyingError,
                timestamp: next.context.clock.now,
                retryAttempt: next.context.attempt)
        }
    }
}

/// A provider of ours that may have no way to get other credentials: then a refusal is the answer.
protocol OptionallyRenewed: AuthenticationProvider {
    var canReauthenticate: Bool { get }
}

/// Where credentials may go.
struct CredentialRules: Sendable {
    var additionalHosts: Set<String> = []
    var requiresTLS = false
    var refreshTimeout: TimeInterval?

    /// The guard against a refresh that waits for a request that waits for it. In real time: a test's clock that moves by itself
    /// would end every refresh at once.
    static let usualRefreshTimeout: TimeInterval = 60

    /// Whether the request gets credentials: on the origin with which its call began, and on hosts that were named.
    ///
    /// - Throws: where they would go over plain HTTP and must not.
    func cover(_ request: URLRequest, in next: Next) throws -> Bool {
        if next.isAbroad(request), !isAdditional(request.url, from: next.context.origin) { return false }
        if requiresTLS, let url = request.url, url.scheme?.lowercased() != "https", !url.isLoopback {
            throw RequestBuildingError(
                "These credentials are for https alone (requiresTLS). Use an https URL for \(url.host ?? "this host").")
        }
        return true
    }

    /// A host that was named, unless the way there is less safe than that to where the call began.
    private func isAdditional(_ url: URL?, from start: URL?) -> Bool {
        guard !additionalHosts.isEmpty, let target = url?.origin else { return false }
        return (target.scheme == "https" || target.scheme == start?.origin?.scheme)
            && additionalHosts.contains { $0.equalsIgnoringASCIICase(target.host) }
    }
}
