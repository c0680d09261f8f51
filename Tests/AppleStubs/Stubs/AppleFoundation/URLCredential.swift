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

    /// https://developer.apple.com/documentation/foundation/urlcredential/persistence-swift.property
    public let persistence: Persistence
    /// https://developer.apple.com/documentation/foundation/urlcredential/user
    public let user: String?
    /// https://developer.apple.com/documentation/foundation/urlcredential/password
    public let password: String?
    /// https://developer.apple.com/documentation/foundation/urlcredential/identity
    public let identity: SecIdentity?
    /// https://developer.apple.com/documentation/foundation/urlcredential/certificates
    public let certificates: [Any]
    /// What was accepted; Apple keeps it to itself.
    let trust: SecTrust?

    /// https://developer.apple.com/documentation/foundation/urlcredential/haspassword
    public var hasPassword: Bool { password != nil }

    /// https://developer.apple.com/documentation/foundation/urlcredential/init(user:password:persistence:)
    public init(user: String, password: String, persistence: Persistence) {
        self.user = user
        self.password = password
        self.persistence = persistence
        identity = nil
        certificates = []
        trust = nil
    }

    /// https://developer.apple.com/documentation/foundation/urlcredential/init(identity:certificates:persistence:)
    public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {
        user = nil
        password = nil
        self.persistence = persistence
        self.identity = identity
        certificates = certArray ?? []
        trust = nil
    }

    /// https://developer.apple.com/documentation/foundation/urlcredential/init(trust:)
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
