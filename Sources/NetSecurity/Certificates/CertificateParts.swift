internal import NetCore

/// Where the parts of a certificate lie (RFC 5280, section 4.1), its frame checked and the parts not yet read.
struct CertificateParts {
    let reader: DERReader
    let issuer: DERReader.Element
    let notBefore: DERReader.Element
    let notAfter: DERReader.Element
    let subject: DERReader.Element
    let publicKeyInfo: DERReader.Element
    let extensions: DERReader.Element?

    init(der: some Collection<UInt8>) throws(CertificateError) {
        guard !der.isEmpty else { throw .empty }
        guard der.count <= X509Certificate.maximumSize else { throw .tooLarge }
        var outer = DERReader(Array(der))
        reader = outer
        var certificate = outer.inside(try outer.next(DERReader.Tag.sequence, "certificate"))
        try outer.finish("the certificate")
        var body = certificate.inside(try certificate.next(DERReader.Tag.sequence, "body of the certificate"))
        _ = try certificate.next(DERReader.Tag.sequence, "signature algorithm")
        _ = try certificate.next(DERReader.Tag.bitString, "signature")
        try certificate.finish("the signature")

        if let version = try body.optional(DERReader.Tag.context(0)) {
            var number = body.inside(version)
            _ = try number.next(DERReader.Tag.integer, "version")
            try number.finish("the version")
        }
        _ = try body.next(DERReader.Tag.integer, "serial number")
        _ = try body.next(DERReader.Tag.sequence, "signature algorithm")
        issuer = try body.next(DERReader.Tag.sequence, "issuer")
        var validity = body.inside(try body.next(DERReader.Tag.sequence, "validity"))
        notBefore = try validity.next()
        notAfter = try validity.next()
        try validity.finish("the validity")
        subject = try body.next(DERReader.Tag.sequence, "subject")
        publicKeyInfo = try body.next(DERReader.Tag.sequence, "public key")
        try Self.checkPublicKey(body.inside(publicKeyInfo))
        // Unique identifiers of issuer and subject: nobody uses them.
        for tag: UInt8 in [0x81, 0x82] { _ = try body.optional(tag) }
        extensions = try body.optional(DERReader.Tag.context(3))
        try body.finish("the extensions")
    }

    private static func checkPublicKey(_ inner: DERReader) throws(CertificateError) {
        var inner = inner
        var algorithm = inner.inside(try inner.next(DERReader.Tag.sequence, "key's algorithm"))
        _ = try algorithm.next(DERReader.Tag.objectIdentifier, "key's algorithm")
        if !algorithm.isAtEnd { _ = try algorithm.next() }
        try algorithm.finish("the key's algorithm")
        let key = try inner.next(DERReader.Tag.bitString, "key")
        let bits = inner.bytes[key.content]
        // Bits that do not count are zero in DER: else there were several encodings of one key, and several pins.
        guard let unused = bits.first, unused < 8, let last = bits.last, bits.count > 1 || unused == 0,
            bits.count == 1 || last & (1 << unused - 1) == 0
        else { throw inner.error("no key") }
        try inner.finish("the key")
    }

    func bytes(_ range: Range<Int>) -> Data { Data(reader.bytes[range]) }

    /// The content of the extension of that identifier, which may be there once.
    func content(ofExtension identifier: [UInt8]) throws(CertificateError) -> DERReader.Element? {
        guard let extensions else { return nil }
        var outer = reader.inside(extensions)
        var list = outer.inside(try outer.next(DERReader.Tag.sequence, "extensions"))
        try outer.finish("the extensions")
        var found: DERReader.Element?
        while !list.isAtEnd {
            var item = list.inside(try list.next(DERReader.Tag.sequence, "extension"))
            let name = try item.next(DERReader.Tag.objectIdentifier, "extension's name")
            _ = try item.optional(DERReader.Tag.boolean)
            let content = try item.next(DERReader.Tag.octetString, "extension's content")
            try item.finish("an extension")
            guard item.bytes[name.content].elementsEqual(identifier) else { continue }
            guard found == nil else { throw list.error("an extension that is there twice") }
            found = content
        }
        return found
    }
}
