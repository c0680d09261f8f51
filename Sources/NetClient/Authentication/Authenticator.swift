/// A provider of credentials and its ``CredentialRefresher``, shared by all requests that carry the credentials.
final class Authenticator: Sendable {
    let provider: any AuthenticationProvider
    /// ``provider`` if it is a ``TokenCredentials``, or nil.
    let tokens: TokenCredentials?
    let refresher = CredentialRefresher()
    let canReauthenticate: Bool
    private let key: AuthenticatorRegistry.Key?

    /// - Parameter key: the key in the registry; nil for an authenticator that is not in it.
    init(_ provider: any AuthenticationProvider, key: AuthenticatorRegistry.Key? = nil) {
        self.provider = provider
        tokens = provider as? TokenCredentials
        self.key = key
        canReauthenticate = (provider as? ClosureCredentials).map { $0.refresh != nil } ?? !(provider is NoAuthProvider)
    }

    deinit { if let key { AuthenticatorRegistry.shared.remove(key) } }

    /// Waits for a refresh in flight, and refreshes expired credentials.
    func refreshIfNeeded(
        _ request: URLRequest, _ context: RequestContext, _ refreshTimeout: TimeInterval?
    ) async throws -> CredentialRefresher.Generation {
        let idle = refresher.idleGeneration
        let generation = if let idle { idle } else { try await refresher.current(timeouts(context, refreshTimeout)) }
        guard canReauthenticate, await provider.needsReauthentication(at: context.clock.now) else { return generation }
        return try await refresh(after: generation, request, refusal: nil, context, refreshTimeout)
    }

    private func timeouts(_ context: RequestContext, _ limit: TimeInterval?) -> CredentialRefresher.RefreshTimeouts {
        CredentialRefresher.RefreshTimeouts(
            timeRemaining: context.timeRemaining, clock: context.clock,
            refreshTimeout: limit ?? Self.defaultRefreshTimeout, refreshClock: limit == nil ? .system : context.clock)
    }

    /// In seconds. Prevents a deadlock of a refresh with a request that waits for it. In real time, since a test's clock that moves by
    /// itself would end every refresh at once.
    private static let defaultRefreshTimeout: TimeInterval = 60

    /// Returns when there are newer credentials than those of the generation. The response that refused them is nil if they expire.
    func refresh(
        after generation: CredentialRefresher.Generation, _ request: URLRequest, refusal: TransportResponse?,
        _ context: RequestContext, _ refreshTimeout: TimeInterval?
    ) async throws -> CredentialRefresher.Generation {
        do {
            try await refresher.refresh(after: generation, timeouts(context, refreshTimeout)) { [provider] in
                try await provider.reauthenticate()
            }
            return try await refresher.current(timeouts(context, refreshTimeout))
        } catch let failure as RefreshFailure {
            throw NetworkFailure(
                cause: failure.cause(ofStatus: refusal?.status ?? 401),
                request: RequestSnapshot(refusal?.request ?? request),
                response: refusal.map {
                    ResponseSnapshot(statusCode: $0.status, headers: $0.headers, body: $0.body.data)
                }, underlyingError: failure.underlyingError, timestamp: context.clock.now, retryAttempt: context.attempt
            )
        }
    }
}

/// Finds the one ``Authenticator`` of a provider that is an object, so that several clients and requests share its refreshes.
///
/// It retains nothing. An authenticator lives as long as an interceptor or a request uses it, and retains its provider. Its entry goes with
/// it: refreshes matter to requests in flight only.
final class AuthenticatorRegistry: Sendable {
    static let shared = AuthenticatorRegistry()

    struct Key: Hashable {
        fileprivate let provider: ObjectIdentifier
        fileprivate let isTokenProvider: Bool
    }

    private struct Place { weak var authenticator: Authenticator? }

    private let places = Locked<[Key: Place]>([:])

    var count: Int { places.withLock(\.count) }

    func authenticator(of provider: any AuthenticationProvider) -> Authenticator {
        find(provider, isTokenProvider: false) { Authenticator(provider, key: $0) }
    }

    func authenticator(of provider: some TokenProvider) -> Authenticator {
        find(provider, isTokenProvider: true) { Authenticator(TokenCredentials(provider), key: $0) }
    }

    /// Removes the place of an authenticator that was released, unless another one has taken it.
    fileprivate func remove(_ key: Key) {
        let successor = places.withLock { places in
            let successor = places[key]?.authenticator
            if successor == nil { places[key] = nil }
            return successor
        }
        // An authenticator must not be released under the lock: its deinit takes it.
        withExtendedLifetime(successor) {}
    }

    /// - Parameter make: makes an authenticator; without a key if the provider is a value.
    private func find(_ provider: Any, isTokenProvider: Bool, make: (Key?) -> Authenticator) -> Authenticator {
        guard type(of: provider) is AnyClass else { return make(nil) }
        let key = Key(provider: ObjectIdentifier(provider as AnyObject), isTokenProvider: isTokenProvider)
        return places.withLock { places in
            if let known = places[key]?.authenticator { return known }
            let made = make(key)
            places[key] = Place(authenticator: made)
            return made
        }
    }
}
