public import AppleCoreFoundation
public import Foundation

/// https://developer.apple.com/documentation/security/secpolicy
public final class SecPolicy: CFTyped, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// The name that the certificate has to have; nil for any.
        case tls(String?)
        case basic
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    public static let typeID: CFTypeID = 1005
    public static func == (left: SecPolicy, right: SecPolicy) -> Bool { left.kind == right.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

/// https://developer.apple.com/documentation/security/secpolicycreatessl(_:_:)
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(.tls(hostname.map { $0 as String }))
}

/// https://developer.apple.com/documentation/security/secpolicycreatebasicx509()
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basic) }

/// https://developer.apple.com/documentation/security/sectrustsetpolicies(_:_:)
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let list = policies as? [SecPolicy] ?? (policies as? SecPolicy).map({ [$0] }), !list.isEmpty
    else { return errSecParam }
    trust.lock.withLock { trust.policies = list }
    return errSecSuccess
}

/// https://developer.apple.com/documentation/security/sectrustcreatewithcertificates(_:_:_:)
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    guard let list = certificates as? [SecCertificate] ?? (certificates as? SecCertificate).map({ [$0] }), !list.isEmpty
    else { return errSecParam }
    let made = SecTrust(presented: list, host: "")
    let status = SecTrustSetPolicies(made, policies ?? SecPolicyCreateBasicX509())
    if status == errSecSuccess { trust.pointee = made }
    return status
}

/// https://developer.apple.com/documentation/security/sectrustgetcertificatecount(_:)
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    trust.lock.withLock { trust.evaluated.isEmpty ? trust.presented : trust.evaluated }.count
}
