public import AppleCoreFoundation
import CAppleSecurity
public import Foundation

/// https://developer.apple.com/documentation/security/seckey
///
/// Public keys of certificates only.
public final class SecKey: Hashable, Sendable {
    /// PKCS #1 for RSA, ANSI X9.63 for elliptic curves.
    let bytes: Data

    init(bytes: Data) { self.bytes = bytes }
    public static func == (left: SecKey, right: SecKey) -> Bool { left.bytes == right.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

/// https://developer.apple.com/documentation/security/seccertificatecopykey(_:)
@available(macOS 10.14, iOS 12.0, watchOS 5.0, tvOS 12.0, *)
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    var key = as_der()
    let isKey = withDER([certificate]) { as_public_key($0, &key) == 1 }
    guard isKey, let bytes = key.bytes else { return nil }
    defer { as_free(&key, 1) }
    return SecKey(bytes: Data(bytes: bytes, count: key.length))
}

/// https://developer.apple.com/documentation/security/sectrustcopykey(_:)
@available(macOS 11.0, iOS 14.0, watchOS 7.0, tvOS 14.0, *)
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { trust.presented.first.flatMap(SecCertificateCopyKey) }

/// https://developer.apple.com/documentation/security/sectrustcopypublickey(_:)
@available(macOS, introduced: 10.7, deprecated: 11.0)
@available(iOS, introduced: 2.0, deprecated: 14.0)
@available(tvOS, introduced: 9.0, deprecated: 14.0)
@available(watchOS, introduced: 1.0, deprecated: 7.0)
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// https://developer.apple.com/documentation/security/seckeycopyexternalrepresentation(_:_:)
@available(macOS 10.12, iOS 10.0, watchOS 3.0, tvOS 10.0, *)
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { key.bytes as CFData }
