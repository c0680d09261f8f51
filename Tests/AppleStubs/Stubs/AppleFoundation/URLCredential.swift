public import Security

/// https://developer.apple.com/documentation/foundation/urlcredential
open class URLCredential: NSObject, NSCopying, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlcredential/persistence-swift.enum
    public enum Persistence: UInt, Sendable {
        case none = 0
        case forSession = 1
        case permanent = 2
        case synchronizable = 3
    }

    public let persistence: Persistence
    public let user: String?
    public let password: String?
    public let identity: SecIdentity?
    public let certificates: [Any]
    /// What was accepted; Apple keeps it to itself.
    let trust: SecTrust?

    public var hasPassword: Bool { password != nil }

    public init(user: String, password: String, persistence: Persistence) {
        self.user = user
        self.password = password
        self.persistence = persistence
        identity = nil
        certificates = []
        trust = nil
    }

    public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {
        user = nil
        password = nil
        self.persistence = persistence
        self.identity = identity
        certificates = certArray ?? []
        trust = nil
    }

    public init(trust: SecTrust) {
        user = nil
        password = nil
        persistence = .forSession
        identity = nil
        certificates = []
        self.trust = trust
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? URLCredential else { return false }
        return user == other.user && password == other.password && persistence == other.persistence
            && identity === other.identity && trust === other.trust
    }

    open override var hash: Int { (user ?? "").hashValue }
}
