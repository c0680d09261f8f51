import NetCore

/// Gives each identity the text that stands for it in the keys of a store.
///
/// In memory identities are compared as they are, and numbered. What leaves the process is a keyed digest. Either is worked out once for
/// an identity: the digest of a long token takes microseconds.
final class CacheOwners: Sendable {
    private struct State {
        var texts: [RequestIdentity: String] = [:]
        var count: UInt64 = 0
    }

    private let state = Locked(State())
    private let key: CacheIdentityKey?

    /// Identities that are remembered. When there are more, all are forgotten: that costs some stored responses in memory, and a digest
    /// each elsewhere.
    private static let limit = 16_384

    /// For all stores in memory, so that two caches over one store agree.
    static let inMemory = CacheOwners(key: nil)
    private static let process = CacheIdentityKey.random()

    /// - Parameter key: of a store that outlives the process; nil for memory.
    init(key: CacheIdentityKey?) {
        self.key = key
    }

    static func of(_ key: CacheIdentityKey?) -> CacheOwners {
        key.map { CacheOwners(key: $0) } ?? .inMemory
    }

    /// The text for an identity; empty for an anonymous one.
    func text(of identity: RequestIdentity) -> String {
        if identity.isAnonymous { return "" }
        if let known = state.withLock({ $0.texts[identity] }) { return known }
        let digest = key.map { SHA256.hmac(identity.bytes, key: $0.bytes).hexadecimal }
        return state.withLock { state in
            if let known = state.texts[identity] { return known }
            if state.texts.count >= Self.limit { state.texts = [:] }
            state.count += 1
            let text = digest ?? "#\(state.count)"
            state.texts[identity] = text
            return text
        }
    }

    /// A keyed digest of a value that must not be stored as text.
    func digest(of value: String) -> String {
        SHA256.hmac(Array(value.utf8), key: (key ?? Self.process).bytes).hexadecimal
    }
}

/// The owners of one store, once its key is known.
struct StoreOwners: Sendable {
    private let known = Locked<CacheOwners?>(nil)
    private let key: @Sendable () throws -> CacheIdentityKey?

    init(_ key: @escaping @Sendable () throws -> CacheIdentityKey?) {
        self.key = key
    }

    /// Nil if the key cannot be read: then nothing of an identity can be stored.
    func owners() -> CacheOwners? {
        if let owners = known.withLock({ $0 }) { return owners }
        do {
            let new = CacheOwners.of(try key())
            return known.withLock { known in
                let owners = known ?? new
                known = owners
                return owners
            }
        } catch {
            // Responses are not stored then; the next request tries again.
            return nil
        }
    }
}
