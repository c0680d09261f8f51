public import Security

// https://developer.apple.com/documentation/foundation/urlprotectionspace/authenticationmethod
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

// https://developer.apple.com/documentation/foundation/urlprotectionspace/proxytype
public let NSURLProtectionSpaceHTTPProxy = "NSURLProtectionSpaceHTTPProxy"
public let NSURLProtectionSpaceHTTPSProxy = "NSURLProtectionSpaceHTTPSProxy"

/// https://developer.apple.com/documentation/foundation/urlprotectionspace
open class URLProtectionSpace: NSObject, NSCopying, @unchecked Sendable {
    public let host: String
    public let port: Int
    public let `protocol`: String?
    public let realm: String?
    public let authenticationMethod: String
    public let proxyType: String?
    public internal(set) var serverTrust: SecTrust?

    public init(host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?) {
        (self.host, self.port, self.protocol, self.realm, proxyType) = (host, port, `protocol`, realm, nil)
        self.authenticationMethod = authenticationMethod ?? NSURLAuthenticationMethodDefault
    }

    /// Harness only: the challenge of a server.
    public convenience init(host: String, trust: SecTrust) {
        self.init(
            host: host, port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
        serverTrust = trust
    }

    public init(proxyHost host: String, port: Int, type: String?, realm: String?, authenticationMethod: String?) {
        (self.host, self.port, self.protocol, self.realm, proxyType) = (host, port, nil, realm, type)
        self.authenticationMethod = authenticationMethod ?? NSURLAuthenticationMethodDefault
    }

    open override func isProxy() -> Bool { proxyType != nil }
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? URLProtectionSpace else { return false }
        return host == other.host && port == other.port && self.protocol == other.protocol && realm == other.realm
            && authenticationMethod == other.authenticationMethod && proxyType == other.proxyType
    }

    open override var hash: Int { [host, String(port), realm ?? "", authenticationMethod].hashValue }
}
