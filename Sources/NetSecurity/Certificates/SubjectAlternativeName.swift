public import NetCore

/// A name for which a certificate was issued (RFC 5280, section 4.2.1.6).
public enum SubjectAlternativeName: Hashable, Sendable {
    /// A host, or with a star for its first part all hosts beneath a name.
    case dns(String)
    /// An IPv4 or IPv6 address, as text.
    case ipAddress(String)
    /// An address for mail.
    case email(String)
    /// A URI.
    case uri(String)
    /// A name like the subject's.
    case directory(DistinguishedName)
    /// An object identifier.
    case registeredID(String)
    /// Any other kind, by its number in the RFC, with its content in DER; and one of the kinds above that is not well-formed.
    case other(kind: Int, content: Data)

    init(_ element: DERReader.Element, in reader: DERReader) throws(CertificateError) {
        let kind = element.tag & 0x1F
        // Strings, addresses and identifiers are plain; the other kinds are made of elements.
        guard element.tag & 0xC0 == 0x80, kind <= 8, (element.tag & 0x20 != 0) == [0, 3, 4, 5].contains(kind) else {
            throw .malformed("no kind of name", offset: element.start)
        }
        let content = reader.bytes[element.content]
        let known: SubjectAlternativeName? =
            switch kind {
            case 1: Self.ascii(content).map { .email($0) }
            case 2: Self.ascii(content).map { .dns($0) }
            case 4: .directory(try Self.directory(element, reader))
            case 6: Self.ascii(content).map { .uri($0) }
            case 7: Self.address(content).map { .ipAddress($0) }
            case 8: .registeredID(try ObjectIdentifierText.text(element, in: reader))
            default: nil
            }
        self = known ?? .other(kind: Int(kind), content: Data(content))
    }

    private static func directory(
        _ element: DERReader.Element, _ reader: DERReader
    ) throws(CertificateError) -> DistinguishedName {
        var inner = reader.inside(element)
        let name = try inner.next(DERReader.Tag.sequence, "name")
        try inner.finish("a name")
        return try DistinguishedName(name, in: inner)
    }

    private static func ascii(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        let isDone = bytes.withUnsafeBytes {
            inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) != nil
        }
        return isDone ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
