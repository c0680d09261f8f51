import NetCore

/// One provider of credentials, and what is known of them.
///
/// A class, since what is known of the credentials (``CredentialRefresher``) is shared by all requests that carry them.
final class Authenticator: Sendable {
    let provider: any AuthenticationProvider
    private let refresher = CredentialRefresher()
    let canReauthenticate: Bool
    private let entry: AuthenticatorRegistry.Entry?

    init(_ provider: any AuthenticationProvider, entry: AuthenticatorRegistry.Entry? = nil) {
        self.provider = provider
        self.entry = entry
        canReauthenticate =
            (provider as? any OptionallyRenewed)?.canReauthenticate ?? !(provider is NoAuthProvider)
    }

    deinit {
        if let entry { AuthenticatorRegistry.shared.remove(entry) }
    }

    /// How many refreshes had ended when the credentials at hand were read.
    var generation: CredentialRefresher.Generation { refresher.generationNow }

    /// Whether this task is the refresh, whose own requests go without credentials.
    var isRefreshing: Bool { refresher.isRefreshing }

    /// Waits for a refresh that is under way, and refreshes credentials that have expired.
    func freshen(
        _ request: URLRequest, _ context: RequestContext, _ rules: CredentialRules
    ) async throws -> CredentialRefresher.Generation {
        let generation = try await refresher.current(patience(context, rules))
        guard canReauthenticate, await provider.needsReauthentication(at: context.clock.now) else { return generation }
        return try await renew(after: generation, request, refusal: nil, context, rules)
    }

    private func patience(_ context: RequestContext, _ rules: CredentialRules) -> CredentialRefresher.Patience {
        CredentialRefresher.Patience(
            timeRemaining: context.timeRemaining, clock: context.clock,
            refreshTimeout: rules.refreshTimeout ?? CredentialRules.usualRefreshTimeout,
            refreshClock: rules.refreshTimeout == nil ? .system : context.clock)
    }

    /// Returns when there are newer credentials than those of the generation.
    ///
    /// - Parameter refusal: the response that refused them; nil if they are replaced ahead of their end.
    func renew(
        after generation: CredentialRefresher.Generation, _ request: URLRequest, refusal: TransportResponse?,
        _ context: RequestContext, _ rules: CredentialRules
    ) async throws -> CredentialRefresher.Generation {
        do {
            try await refresher.renew(after: generation, patience(context, rules)) { [provider] in
                try await provider.reauthenticate()
            }
            return try await refresher.current(patience(context, rules))
        } catch let failure as RefreshFailure {
            throw NetworkFailure(
                cause: failure.cause(ofStatus: refusal?.status ?? 401),
                request: RequestSnapshot(refusal?.request ?? request),
                response: refusal.map {
                    ResponseSnapshot(statusCode: $0.status, headers: $0.headers, body: $0.body.data)
                },
                underlyingError: failure.underlyingError,
                timestamp: context.clock.now,
                retryAttempt: context.attempt)
        }
    }
}

/// A provider of ours that may have no way to get other credentials: then a refusal is the answer.
protocol OptionallyRenewed: AuthenticationProvider {
    var canReauthenticate: Bool { get }
}

/// Where credentials may go, and whose they are.
struct CredentialRules: Sendable {
    var additionalHosts: Set<String> = [] { didSet { scope = CredentialScope(hosts: additionalHosts) } }
    var requiresTLS = false
    var refreshTimeout: TimeInterval?
    /// Names the owner in place of the provider; nil to ask the provider.
    var partition: (@Sendable () -> String?)?
    private var scope = CredentialScope()

    /// The guard against a refresh that waits for a request that waits for it. In real time: a test's clock that moves by itself
    /// would end every refresh at once.
    static let usualRefreshTimeout: TimeInterval = 60

    /// Whether the request may get credentials: on the origin at which its call started, and on hosts that were named.
    func permits(_ request: URLRequest, from start: URL?) -> Bool {
        scope.permits(request.url, from: start)
    }

    /// - Throws: where credentials would go over plain HTTP and must not.
    func requireTLS(for request: URLRequest) throws {
        guard requiresTLS, let url = request.url, url.scheme?.lowercased() != "https", !url.isLoopback else { return }
        throw RequestBuildingError(
            "These credentials are for https alone (requiresTLS). Use an https URL for \(url.host ?? "this host").")
    }
}
