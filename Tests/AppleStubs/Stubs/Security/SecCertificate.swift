public import AppleCoreFoundation
import CAppleSecurity
public import Foundation

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
