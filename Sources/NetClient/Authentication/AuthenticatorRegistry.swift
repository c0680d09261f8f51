import NetCore

/// Finds the one ``Authenticator`` of a provider that has an identity, so that its credentials are refreshed once wherever it
/// is used: by several clients, or by requests that bring it along.
///
/// It keeps nobody alive. An authenticator lives as long as an interceptor or a request uses it, and keeps its provider as
/// long; with it goes its entry. Nothing is lost by that: what is known of credentials matters to requests on their way.
final class AuthenticatorRegistry: Sendable {
    static let shared = AuthenticatorRegistry()

    /// Which entry, and whose: the place of a provider may have been taken by another one.
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

    /// How many authenticators there are.
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

    /// - Parameter make: makes one; what has no identity gets one without an entry.
    private func find(_ provider: Any, isTokenProvider: Bool, make: (Entry?) -> Authenticator) -> Authenticator {
        guard type(of: provider) is AnyClass else { return make(nil) }
        let key = Key(provider: ObjectIdentifier(provider as AnyObject), isTokenProvider: isTokenProvider)
        return state.withLock { state in
            // Released outside of the lock only: its end comes back for its entry.
            if let known = state.places[key]?.authenticator { return known }
            state.lastNumber += 1
            let made = make(Entry(key: key, number: state.lastNumber))
            state.places[key] = Place(number: state.lastNumber, authenticator: made)
            return made
        }
    }
}
