public import AppleCoreFoundation
public import Foundation

/// https://developer.apple.com/documentation/security/seccertificate
public final class SecCertificate: Hashable, Sendable {
    /// The certificate in DER.
    public let der: Data

    public init(der: Data) { self.der = der }
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool { left.der == right.der }
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// https://developer.apple.com/documentation/security/secidentity
public final class SecIdentity: CFTyped, Sendable {
    /// The archive that it came in (PKCS#12), from which the stub of the network takes certificate and key.
    public let archive: Data
    public let password: String

    public init(archive: Data, password: String) { (self.archive, self.password) = (archive, password) }

    public static let typeID: CFTypeID = 1002
}

/// https://developer.apple.com/documentation/security/sectrust
public final class SecTrust: @unchecked Sendable {
    /// What the server sent, its own certificate first.
    public let presented: [SecCertificate]
    /// Whom the certificate has to name by the policy that it was made with.
    public let host: String

    let lock = NSLock()
    var anchors: [SecCertificate] = []
    var anchorsOnly = false
    /// What `SecTrustSetPolicies` has put in place of that.
    var policies: [SecPolicy]?
    /// Whether `SecTrustSetExceptions` has accepted what is presented, which nothing else is then asked about.
    var isExcepted = false
    /// The chain that the last evaluation found, from the server's certificate to an anchor.
    var evaluated: [SecCertificate] = []

    public init(presented: [SecCertificate], host: String) { (self.presented, self.host) = (presented, host) }

    /// Whom the certificate has to name; empty for anybody.
    var wantedHost: String {
        guard let policies else { return host }
        let names = policies.lazy.compactMap { if case .tls(let name) = $0.kind { name } else { nil } }
        return names.first ?? ""
    }
}
