public import NetCore

/// Why bytes are no certificate.
public enum CertificateError: Error, Hashable, Sendable {
    /// They break the rules of DER (ITU-T X.690) or of certificates (RFC 5280, section 4.1): what was wrong, and at which byte.
    case malformed(String, offset: Int)
    /// There is no certificate in them.
    case empty
    /// There are more of them than any certificate has (``X509Certificate/maximumSize``).
    case tooLarge
}

extension CertificateError: CustomStringConvertible, LocalizedError {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .malformed(let reason, let offset):
            "The certificate cannot be read: \(reason) at byte \(offset). `openssl x509 -text` shows what it takes it for."
        case .empty: "There is no certificate: neither DER nor a block that begins with -----BEGIN CERTIFICATE-----."
        case .tooLarge: "A certificate has at most \(X509Certificate.maximumSize) bytes."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
