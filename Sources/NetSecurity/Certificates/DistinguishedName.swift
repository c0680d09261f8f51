internal import NetCore

/// The name of who has a certificate, or of who issued it (RFC 5280, section 4.1.2.4).
public struct DistinguishedName: Hashable, Sendable {
    /// One part of a name.
    public struct Attribute: Hashable, Sendable {
        /// What it is, as an object identifier: `2.5.4.3` is the common name.
        public let type: String
        /// Its text; `#` and the DER in hexadecimal digits if it is of a type that is no text.
        public let value: String
    }

    /// The parts in their order, the country mostly first. What stands together belongs together (a multi-valued name, which is
    /// rare).
    public let parts: [[Attribute]]

    /// The first common name.
    public var commonName: String? {
        parts.joined().first { $0.type == "2.5.4.3" }?.value
    }

    init(_ element: DERReader.Element, in reader: DERReader) throws(CertificateError) {
        var names = reader.inside(element)
        var parts: [[Attribute]] = []
        while !names.isAtEnd {
            var set = names.inside(try names.next(DERReader.Tag.set, "part of a name"))
            var attributes: [Attribute] = []
            while !set.isAtEnd { attributes.append(try Self.attribute(&set)) }
            guard !attributes.isEmpty else { throw names.error("an empty part of a name") }
            parts.append(attributes)
        }
        self.parts = parts
    }

    private static func attribute(_ set: inout DERReader) throws(CertificateError) -> Attribute {
        var pair = set.inside(try set.next(DERReader.Tag.sequence, "attribute of a name"))
        let type = try ObjectIdentifierText.text(
            try pair.next(DERReader.Tag.objectIdentifier, "type of an attribute"), in: pair)
        let value = try pair.next()
        try pair.finish("the value of an attribute")
        return Attribute(
            type: type, value: DERText.text(value, in: pair) ?? "#" + pair.bytes[value.whole].hexadecimal.uppercased())
    }
}

extension DistinguishedName: CustomStringConvertible {
    /// As RFC 4514 writes it, the last part first: `CN=localhost,O=Example`.
    public var description: String {
        parts.reversed().map { attributes in
            attributes.map { "\(Self.keywords[$0.type] ?? $0.type)=\(Self.escaped($0.value))" }.joined(separator: "+")
        }.joined(separator: ",")
    }

    /// RFC 4514, section 3.
    private static let keywords = [
        "2.5.4.3": "CN", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C",
        "2.5.4.9": "STREET", "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
    ]

    private static func escaped(_ value: String) -> String {
        let text = value.unicodeScalars.map { scalar -> String in
            switch scalar {
            case ",", "+", "\"", "\\", "<", ">", ";": "\\\(scalar)"
            // What a log must not take for an end of line.
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: String(format: "\\%02X", scalar.value)
            default: String(scalar)
            }
        }.joined()
        return text.hasPrefix(" ") || text.hasPrefix("#") && value != text ? "\\" + text : text
    }
}
