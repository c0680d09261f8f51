public import NetCore

/// What a server must show: a certificate, or a key, among those that prove who it is.
///
/// ```swift
/// let pins = [
///     try CertificatePin.publicKey("sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="),
///     try CertificatePin.publicKey("sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="),
/// ]
/// ```
///
/// A pin of a key outlives a certificate that is renewed with the same key; a pin of a certificate ends with it. `Scripts/pins`
/// prints both for a host or a file.
public enum CertificatePin: Hashable, Sendable {
    /// A whole certificate in DER, compared byte for byte (seed 000).
    case certificate(Data)
    /// The SHA-256 of a certificate's `SubjectPublicKeyInfo`: 32 bytes, as in RFC 7469.
    case publicKey(sha256: Data)

    /// A pin of a certificate.
    ///
    /// - Parameter data: the certificate in DER, or in PEM as the only one.
    /// - Throws: ``CertificateError`` if it is none, so that no pin waits for what never comes.
    public static func certificate(reading data: Data) throws(CertificateError) -> CertificatePin {
        let certificates = try X509Certificate.certificates(in: data)
        guard let first = certificates.first, certificates.count == 1 else {
            throw .malformed("a second certificate, where one is wanted,", offset: 0)
        }
        return .certificate(first.der)
    }

    /// A pin of a key.
    ///
    /// - Parameter text: `sha256/` and 32 bytes in base64, with or without its `=`.
    /// - Throws: ``PinningError/invalidPin(_:)``.
    public static func publicKey(_ text: String) throws(PinningError) -> CertificatePin {
        var encoded = text.dropFirst(prefix.count)
        if encoded.utf8.count == 43 { encoded += "=" }
        guard text.hasPrefix(prefix), let hash = Data(base64Encoded: String(encoded)), hash.count == 32 else {
            throw .invalidPin(text)
        }
        return .publicKey(sha256: hash)
    }

    /// A pin of the key of a certificate.
    public static func publicKey(of certificate: X509Certificate) -> CertificatePin {
        .publicKey(sha256: Data(SHA256.digest(certificate.publicKeyInfo)))
    }

    private static let prefix = "sha256/"

    /// The pins that a certificate fulfils. One that cannot be read fulfils that of its own bytes only.
    static func fulfilled(by certificate: Data) -> [CertificatePin] {
        guard let parts = try? CertificateParts(der: certificate) else { return [.certificate(certificate)] }
        let key = parts.reader.bytes[parts.publicKeyInfo.whole]
        return [.certificate(certificate), .publicKey(sha256: Data(SHA256.digest(key)))]
    }
}

extension CertificatePin: CustomStringConvertible {
    /// `sha256/…` for a key, and for a certificate `certificate ` and the SHA-256 of the whole in hexadecimal digits, as
    /// `sha256sum` prints it for the file.
    public var description: String {
        switch self {
        case .certificate(let der): "certificate " + SHA256.hex(der)
        case .publicKey(let hash): Self.prefix + hash.base64EncodedString()
        }
    }
}
