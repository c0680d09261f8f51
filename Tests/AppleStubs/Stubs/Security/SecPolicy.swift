public import AppleCoreFoundation
public import Foundation

/// https://developer.apple.com/documentation/security/secpolicy
public final class SecPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// The name that the certificate has to have; nil for any.
        case tls(String?)
        case basic
        /// No server of revocation is asked here.
        case revocation(CFOptionFlags)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }
    public static func == (left: SecPolicy, right: SecPolicy) -> Bool { left.kind == right.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

/// https://developer.apple.com/documentation/security/secpolicycreatessl(_:_:)
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(.tls(hostname.map { $0 as String }))
}

/// https://developer.apple.com/documentation/security/secpolicycreatebasicx509()
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basic) }

/// https://developer.apple.com/documentation/security/secpolicycreaterevocation(_:)
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    SecPolicy(.revocation(revocationFlags))
}

// https://developer.apple.com/documentation/security/revocation-policy-constants
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod

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

/// https://developer.apple.com/documentation/security/sectrustresulttype
public enum SecTrustResultType: UInt32, Sendable {
    case invalid = 0
    case proceed = 1
    case deny = 3
    case unspecified = 4
    case recoverableTrustFailure = 5
    case fatalTrustFailure = 6
    case otherError = 7
}

/// https://developer.apple.com/documentation/security/sectrustgettrustresult(_:_:)
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    result.pointee = trust.lock.withLock { trust.evaluated.isEmpty } ? .recoverableTrustFailure : .unspecified
    return errSecSuccess
}

/// https://developer.apple.com/documentation/security/sectrustevaluate(_:_:)
@available(macOS, introduced: 10.3, deprecated: 10.15)
@available(iOS, introduced: 2.0, deprecated: 13.0)
@available(tvOS, introduced: 9.0, deprecated: 13.0)
@available(watchOS, introduced: 1.0, deprecated: 6.0)
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    _ = SecTrustEvaluateWithError(trust, nil)
    return SecTrustGetTrustResult(trust, result)
}

/// https://developer.apple.com/documentation/security/sectrustgetcertificatecount(_:)
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.chain.count }

/// https://developer.apple.com/documentation/security/sectrustgetcertificateatindex(_:_:)
@available(macOS, introduced: 10.7, deprecated: 12.0)
@available(iOS, introduced: 2.0, deprecated: 15.0)
@available(tvOS, introduced: 9.0, deprecated: 15.0)
@available(watchOS, introduced: 1.0, deprecated: 8.0)
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: CFIndex) -> SecCertificate? {
    let chain = trust.chain
    return chain.indices.contains(index) ? chain[index] : nil
}
