/// A provider of credentials and its ``CredentialRefresher``, shared by all requests that carry the credentials.
final class Authenticator: Sendable {
    let provider: any AuthenticationProvider
    /// ``provider`` if it is a ``TokenCredentials``, or nil.
    let tokens: TokenCredentials?
    private let refresher = CredentialRefresher()
    let canReauthenticate: Bool
    private let entry: AuthenticatorRegistry.Entry?

    init(_ provider: any AuthenticationProvider, entry: AuthenticatorRegistry.Entry? = nil) {
        self.provider = provider
        tokens = provider as? TokenCredentials
        self.entry = entry
        canReauthenticate =
            (provider as? any OptionallyRenewed)?.canReauthenticate ?? !(provider is NoAuthProvider)
    }

    deinit {
        if let entry { AuthenticatorRegistry.shared.remove(entry) }
    }

    /// The number of refreshes that have ended.
    var generation: CredentialRefresher.Generation { refresher.generationNow }

    /// Whether this task is the refresh. Its own requests get no credentials.
    var isRefreshing: Bool { refresher.isRefreshing }

    /// Waits for a refresh in flight, and refreshes expired credentials.
    func freshen(
        _ request: URLRequest, _ context: RequestContext, _ rules: CredentialRules
    ) async throws -> CredentialRefresher.Generation {
        let idle = refresher.idleGeneration
        let generation = if let idle { idle } else { try await refresher.current(timeouts(context, rules)) }
        guard canReauthenticate, await provider.needsReauthentication(at: context.clock.now) else { return generation }
        return try await renew(after: generation, request, refusal: nil, context, rules)
    }

    private func timeouts(_ context: RequestContext, _ rules: CredentialRules) -> CredentialRefresher.RefreshTimeouts {
        CredentialRefresher.RefreshTimeouts(
            timeRemaining: context.timeRemaining, clock: context.clock,
            refreshTimeout: rules.refreshTimeout ?? CredentialRules.defaultRefreshTimeout,
            refreshClock: rules.refreshTimeout == nil ? .system : context.clock)
    }

    /// Returns when there are newer credentials than those of the generation.
    ///
    /// - Parameter refusal: the response that refused them; nil if they expire.
    func renew(
        after generation: CredentialRefresher.Generation, _ request: URLRequest, refusal: TransportResponse?,
        _ context: RequestContext, _ rules: CredentialRules
    ) async throws -> CredentialRefresher.Generation {
        do {
            try await refresher.renew(after: generation, timeouts(context, rules)) { [provider] in
                try await provider.reauthenticate()
            }
            return try await refresher.current(timeouts(context, rules))
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

/// A provider that may have no way to refresh. Then the caller gets the refusal.
protocol OptionallyRenewed: AuthenticationProvider {
    var canReauthenticate: Bool { get }
}

/// Finds the one ``Authenticator`` of a provider that is an object, so that several clients and requests share its refreshes.
///
/// It retains nothing. An authenticator lives as long as an interceptor or a request uses it, and retains its provider. Its entry goes with
/// it: refreshes matter to requests in flight only.
final class AuthenticatorRegistry: Sendable {
    static let shared = AuthenticatorRegistry()

    /// The key and number of an entry: another provider may have taken the place of a released one.
    struct Entry: Hashable {
        fileprivate let key: Key
        fileprivate let number: UInt64
    }

    fileprivate struct Key: Hashable {
        let provider: ObjectIdentifier
        let isTokenProvider: Bool
    }

    private struct Place {
        let number: UInt64
        weak var authenticator: Authenticator?
    }

    private struct State {
        var places: [Key: Place] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Locked(State())

    var count: Int { state.withLock(\.places.count) }

    func authenticator(of provider: any AuthenticationProvider) -> Authenticator {
        find(provider, isTokenProvider: false) { Authenticator(provider, entry: $0) }
    }

    func authenticator(of provider: some TokenProvider) -> Authenticator {
        find(provider, isTokenProvider: true) { Authenticator(TokenCredentials(provider), entry: $0) }
    }

    func remove(_ entry: Entry) {
        state.withLock { state in
            if state.places[entry.key]?.number == entry.number { state.places[entry.key] = nil }
        }
    }

    /// - Parameter make: makes an authenticator; without an entry if the provider is a value.
    private func find(_ provider: Any, isTokenProvider: Bool, make: (Entry?) -> Authenticator) -> Authenticator {
        guard type(of: provider) is AnyClass else { return make(nil) }
        let key = Key(provider: ObjectIdentifier(provider as AnyObject), isTokenProvider: isTokenProvider)
        return state.withLock { state in
            // An authenticator must not be released under the lock: its deinit removes its entry.
            if let known = state.places[key]?.authenticator { return known }
            state.lastNumber += 1
            let made = make(Entry(key: key, number: state.lastNumber))
            state.places[key] = Place(number: state.lastNumber, authenticator: made)
            return made
        }
    }
}
