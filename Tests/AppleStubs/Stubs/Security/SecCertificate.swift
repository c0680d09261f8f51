public import AppleCoreFoundation
import CAppleSecurity
public import Foundation

/// https://developer.apple.com/documentation/security/seccertificate
public final class SecCertificate: Hashable, Sendable {
    /// The certificate in DER.
    public let der: Data

    public init(der: Data) { self.der = der }
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool { left.der == right.der }
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// https://developer.apple.com/documentation/security/seccertificatecreatewithdata(_:_:)
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    let data = data as Data
    let isCertificate = data.withUnsafeBytes { bytes in
        bytes.count > 0 && as_is_certificate(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) == 1
    }
    return isCertificate ? SecCertificate(der: data) : nil
}

/// https://developer.apple.com/documentation/security/seccertificatecopydata(_:)
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { certificate.der as CFData }

/// Gives C a list of certificates for the length of a call.
func withDER<Result>(_ certificates: [SecCertificate], _ body: ([as_der]) -> Result) -> Result {
    let copies = certificates.map { certificate in
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, certificate.der.count))
        certificate.der.copyBytes(to: bytes, count: certificate.der.count)
        return as_der(bytes: bytes, length: certificate.der.count)
    }
    defer { copies.forEach { $0.bytes.deallocate() } }
    return body(copies)
}

/// Takes the certificates that a function of C puts into a buffer, of which it tells the number.
func certificates(from fill: (UnsafeMutablePointer<as_der>, Int) -> Int) -> (count: Int, certificates: [SecCertificate])
{
    var buffer = [as_der](repeating: as_der(), count: 32)
    return buffer.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return (0, []) }
        let count = fill(base, buffer.count)
        let found = buffer.prefix(max(0, count)).map { SecCertificate(der: Data(bytes: $0.bytes, count: $0.length)) }
        as_free(base, max(0, count))
        return (count, found)
    }
}

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
