public import Security

/// https://developer.apple.com/documentation/foundation/urlcredential
open class URLCredential: NSObject, NSCopying, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlcredential/persistence-swift.enum
    public enum Persistence: UInt, Sendable { case none, forSession }

    public let persistence: Persistence
    public let user: String?
    public let password: String?
    public let identity: SecIdentity?
    public let certificates: [Any]
    /// What was accepted; Apple keeps it to itself.
    let trust: SecTrust?

    public init(user: String, password: String, persistence: Persistence) {
        (self.user, self.password, self.persistence) = (user, password, persistence)
        (identity, certificates, trust) = (nil, [], nil)
    }

    public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {
        (user, password, trust) = (nil, nil, nil)
        (self.identity, certificates, self.persistence) = (identity, certArray ?? [], persistence)
    }

    public init(trust: SecTrust) {
        (user, password, identity, certificates) = (nil, nil, nil, [])
        (self.trust, persistence) = (trust, .forSession)
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? URLCredential else { return false }
        return user == other.user && password == other.password && persistence == other.persistence
            && identity === other.identity && trust === other.trust
    }

    open override var hash: Int { (user ?? "").hashValue }
}
