extension ProtocolDefaults {
    /// The member of a store of responses that has a default, in the type that the conforming type gives it: see ``ProtocolDefaults/EndpointMembers``.
    public protocol CacheIdentityMembers: Sendable {
        associatedtype DeclaredIdentityKey = CacheIdentityKey?

        /// The requirement of an ``HTTPCacheStore`` and a ``ResponseCaching``, in the declared type.
        func identityKey() throws -> DeclaredIdentityKey
    }
}

extension ProtocolDefaults {
    /// The members of an ``HTTPCacheStore`` that have a default, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol HTTPCacheStoreMembers: ProtocolDefaults.CacheIdentityMembers {
        associatedtype DeclaredURL = String
        associatedtype DeclaredGeneration = HTTPCacheEntry.Generation?
        associatedtype DeclaredUseError: Error = Never

        /// The requirement of an ``HTTPCacheStore``, in the declared types.
        func generation(of url: DeclaredURL) async throws -> DeclaredGeneration
        /// The requirement of an ``HTTPCacheStore``, with the declared error.
        func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws(DeclaredUseError)
    }
}

// MARK: Accepted types, with the defaults

extension HTTPCacheStore where DeclaredIdentityKey == CacheIdentityKey? {
    public func identityKey() throws -> CacheIdentityKey? { nil }
}

extension HTTPCacheStore where DeclaredIdentityKey == CacheIdentityKey {
    public func identityKey() throws -> CacheIdentityKey? {
        let declared: CacheIdentityKey = try identityKey()
        return declared
    }
}

extension ResponseCaching where DeclaredIdentityKey == CacheIdentityKey? {
    public func identityKey() throws -> CacheIdentityKey? { nil }
}

extension ResponseCaching where DeclaredIdentityKey == CacheIdentityKey {
    public func identityKey() throws -> CacheIdentityKey? {
        let declared: CacheIdentityKey = try identityKey()
        return declared
    }
}

extension HTTPCacheStore where DeclaredURL == String, DeclaredGeneration == HTTPCacheEntry.Generation? {
    public func generation(of url: String) async throws -> HTTPCacheEntry.Generation? { nil }
}

extension HTTPCacheStore where DeclaredURL == String, DeclaredGeneration == HTTPCacheEntry.Generation {
    public func generation(of url: String) async throws -> HTTPCacheEntry.Generation? {
        let declared: HTTPCacheEntry.Generation = try await generation(of: url)
        return declared
    }
}

extension HTTPCacheStore where DeclaredUseError == Never {
    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {}
}

// MARK: All other types

extension HTTPCacheStore {
    @available(*, unavailable, message: "Declare `func identityKey() throws -> CacheIdentityKey?`.")
    public func identityKey() throws -> CacheIdentityKey? { nil }

    @available(
        *, unavailable, message: "Declare `func generation(of url: String) async throws -> HTTPCacheEntry.Generation?`."
    )
    public func generation(of url: String) async throws -> HTTPCacheEntry.Generation? { nil }

    @available(*, unavailable, message: "Declare `recordUse(of:for:)` without `throws`.")
    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {}
}

extension ResponseCaching {
    @available(*, unavailable, message: "Declare `func identityKey() throws -> CacheIdentityKey?`.")
    public func identityKey() throws -> CacheIdentityKey? { nil }
}
