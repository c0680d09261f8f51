public import NetCore

/// What a certificate says (RFC 5280): whose it is, who issued it, when it is valid, for which names and with which key.
///
/// It only reads. Whether a certificate is to be trusted is for the platform's TLS to say, and for a ``PinningPolicy``.
public struct X509Certificate: Hashable, Sendable {
    /// The largest certificate that is read, in bytes: 256 KiB. What TLS carries has a few kilobytes.
    public static let maximumSize = 256 * 1024

    /// The certificate itself.
    public let der: Data
    /// Whose it is. Names of hosts are in ``alternativeNames`` nowadays.
    public let subject: DistinguishedName
    /// Who signed it.
    public let issuer: DistinguishedName
    /// The first moment of its validity.
    public let notBefore: Date
    /// The last moment of its validity.
    public let notAfter: Date
    /// The names for which it is valid.
    public let alternativeNames: [SubjectAlternativeName]
    /// Its key with the key's algorithm: the `SubjectPublicKeyInfo`, in DER.
    public let publicKeyInfo: Data

    /// Reads a certificate in DER.
    ///
    /// - Throws: ``CertificateError`` for anything else, and for what follows the certificate.
    public init(der: Data) throws(CertificateError) {
        let parts = try CertificateParts(der: der)
        self.der = der
        subject = try DistinguishedName(parts.subject, in: parts.reader)
        issuer = try DistinguishedName(parts.issuer, in: parts.reader)
        notBefore = try DERTime.date(parts.notBefore, in: parts.reader)
        notAfter = try DERTime.date(parts.notAfter, in: parts.reader)
        publicKeyInfo = parts.bytes(parts.publicKeyInfo.whole)
        alternativeNames = try Self.alternativeNames(parts)
    }

    /// The certificates in a file: one in DER, or one or more in PEM (RFC 7468) with or without text around them.
    ///
    /// - Throws: ``CertificateError``, also if there is none.
    public static func certificates(in data: Data) throws(CertificateError) -> [X509Certificate] {
        var certificates: [X509Certificate] = []
        for der in try PEM.certificates(in: data) { certificates.append(try X509Certificate(der: der)) }
        return certificates
    }

    private static func alternativeNames(_ parts: CertificateParts) throws(CertificateError) -> [SubjectAlternativeName]
    {
        // 2.5.29.17
        guard let content = try parts.content(ofExtension: [0x55, 0x1D, 0x11]) else { return [] }
        var outer = parts.reader.inside(content)
        var list = outer.inside(try outer.next(DERReader.Tag.sequence, "alternative names"))
        try outer.finish("the alternative names")
        var names: [SubjectAlternativeName] = []
        while !list.isAtEnd { names.append(try SubjectAlternativeName(try list.next(), in: list)) }
        return names
    }
}

extension X509Certificate: CustomStringConvertible {
    /// Subject, issuer and the end of its validity.
    public var description: String {
        "X509Certificate(\(subject), issued by \(issuer), until \(notAfter.formatted(.iso8601)))"
    }
}
