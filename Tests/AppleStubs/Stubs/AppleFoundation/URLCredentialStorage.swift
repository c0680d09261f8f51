/// https://developer.apple.com/documentation/foundation/urlcredentialstorage
open class URLCredentialStorage: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var credentials: [URLProtectionSpace: [String: URLCredential]] = [:]
    private var defaults: [URLProtectionSpace: URLCredential] = [:]

    public static let shared = URLCredentialStorage()

    /// Apple's is the keychain; this one is empty at the start of the process.
    public override init() { super.init() }
    open var allCredentials: [URLProtectionSpace: [String: URLCredential]] { lock.withLock { credentials } }

    open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
        lock.withLock { credentials[space] }
    }

    open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.persistence != .none, let user = credential.user else { return }
        lock.withLock { credentials[space, default: [:]][user] = credential }
    }

    open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? { lock.withLock { defaults[space] } }

    open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
        set(credential, for: space)
        lock.withLock { defaults[space] = credential }
    }
}
