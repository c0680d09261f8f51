package import NetCore

/// The parts of an X.509 certificate that pins need (RFC 5280, section 4.1).
///
/// The platform's TLS and a ``PinningPolicy`` decide whether a certificate is trusted; this type only reads. Names are not interpreted
/// until ``subject`` or ``issuer`` is read.
struct Certificate {
    let der: Data
    private let bytes: [UInt8]
    private let key: Range<Int>
    private let subjectName: Range<Int>
    private let issuerName: Range<Int>

    /// The `SubjectPublicKeyInfo`: the key with its algorithm, in DER.
    var publicKeyInfo: Data { Data(bytes[key]) }

    /// The largest certificate that is read, in bytes. TLS carries a few kilobytes.
    static let maximumSize = 256 << 10

    /// Reads one certificate.
    ///
    /// - Throws: ``DERError`` if the bytes are not a certificate, or if bytes follow it.
    init(der: Data) throws(DERError) {
        guard der.count <= Self.maximumSize else {
            throw DERError("more than \(Self.maximumSize) bytes", at: Self.maximumSize)
        }
        var outer = DERReader(Array(der))
        var certificate = outer.inside(try outer.next(.sequence, "certificate"))
        try outer.finish("the certificate")
        var body = certificate.inside(try certificate.next(.sequence, "body of the certificate"))
        _ = try certificate.next(.sequence, "signature algorithm")
        _ = try certificate.next(.bitString, "signature")
        try certificate.finish("the signature")

        if let version = try body.optional(.context(0)) {
            var number = body.inside(version)
            _ = try number.next(.integer, "version")
            try number.finish("the version")
        }
        _ = try body.next(.integer, "serial number")
        _ = try body.next(.sequence, "signature algorithm")
        let issuer = try body.next(.sequence, "issuer")
        var validity = body.inside(try body.next(.sequence, "validity"))
        _ = try validity.next()
        _ = try validity.next()
        try validity.finish("the validity")
        let subject = try body.next(.sequence, "subject")
        let key = try body.next(.sequence, "public key")
        try Self.checkPublicKey(body.inside(key))
        // The unique identifiers of issuer and subject, which no authority uses.
        for tag: UInt8 in [0x81, 0x82] { _ = try body.optional(DERReader.Tag(rawValue: tag)) }
        _ = try body.optional(.context(3))
        try body.finish("the extensions")

        self.der = der
        bytes = body.bytes
        self.key = key.whole
        subjectName = subject.content
        issuerName = issuer.content
    }

    private static func checkPublicKey(_ inner: DERReader) throws(DERError) {
        var inner = inner
        var algorithm = inner.inside(try inner.next(.sequence, "key algorithm"))
        _ = try algorithm.next(.objectIdentifier, "key algorithm")
        if !algorithm.isAtEnd { _ = try algorithm.next() }
        try algorithm.finish("the key algorithm")
        let key = try inner.next(.bitString, "key")
        let bits = inner.bytes[key.content]
        // DER requires unused bits to be zero. Otherwise one key would have several encodings, and several pins.
        guard let unused = bits.first, unused < 8, let last = bits.last, bits.count > 1 || unused == 0,
            bits.count == 1 || last & (1 << unused - 1) == 0
        else { throw inner.error("a key that is not a bit string") }
        try inner.finish("the key")
    }

    /// Returns the certificates in a file: one in DER, or one or more in PEM, with or without text around them.
    ///
    /// - Throws: ``DERError``, also if the file contains no certificate.
    static func all(in data: Data) throws(DERError) -> [Certificate] {
        try PEM.certificates(in: data).map { der throws(DERError) in try Certificate(der: der) }
    }
}

// Names, for reports.
extension Certificate {
    /// The subject: the common attributes in the order of RFC 4514, such as `CN=localhost,O=Example`. Empty if there are none.
    var subject: String { Self.text(ofName: Array(bytes[subjectName])) }
    /// The issuer, in the same form.
    var issuer: String { Self.text(ofName: Array(bytes[issuerName])) }

    /// The last byte of the object identifiers 2.5.4.x (RFC 4514, section 3).
    private static let keywords: [UInt8: String] = [3: "CN", 6: "C", 7: "L", 8: "ST", 9: "STREET", 10: "O", 11: "OU"]

    static func text(ofName name: [UInt8]) -> String {
        var parts = DERReader(name)
        var texts: [String] = []
        while let part = try? parts.next(.set, "part of a name") {
            var attributes = parts.inside(part)
            while let attribute = try? attributes.next(.sequence, "attribute") {
                var pair = attributes.inside(attribute)
                guard let type = try? pair.next(.objectIdentifier, "type"), let value = try? pair.next(),
                    pair.bytes[type.content].starts(with: [0x55, 0x04]), type.content.count == 3,
                    let keyword = keywords[pair.bytes[type.content.upperBound - 1]]
                else { continue }
                texts.append("\(keyword)=\(text(value, in: pair))")
            }
        }
        return texts.reversed().joined(separator: ",")
    }

    /// UTF-8, and for the string types of one byte Latin-1, as OpenSSL reads them. Characters that could forge a log line are escaped.
    private static func text(_ value: DERReader.Element, in reader: DERReader) -> String {
        let bytes = reader.bytes[value.content]
        let text =
            value.tag == .utf8String
            ? String(decoding: bytes, as: UTF8.self)
            : String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        return text.unicodeScalars.map { scalar in
            switch scalar {
            case ",", "+", "\"", "\\", "<", ">", ";": "\\\(scalar)"
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.properties.isBidiControl:
                String(format: "\\%02X", scalar.value)
            default: String(scalar)
            }
        }.joined()
    }
}

extension CertificateChain {
    /// The subjects of the certificates, such as `CN=server,O=Example`. Certificates that cannot be read are left out.
    package var subjects: [String] { certificates.compactMap { try? Certificate(der: $0).subject } }
}

/// Certificates as text (RFC 7468).
enum PEM {
    /// Returns the DER of the certificates in a file: the file itself if it is DER, or the content of its blocks.
    static func certificates(in data: Data) throws(DERError) -> [Data] {
        // A sequence of more than 127 bytes. In text the second byte would be ASCII.
        if data.first == DERReader.Tag.sequence.rawValue, let second = data.dropFirst().first, second >= 0x80 {
            return [data]
        }
        var blocks: [Data] = []
        var rest = data[...]
        while let start = rest.range(of: begin) {
            guard let stop = rest.range(of: end, in: start.upperBound..<rest.endIndex) else {
                throw DERError("no -----END CERTIFICATE-----", at: rest.endIndex - data.startIndex)
            }
            let lines = rest[start.upperBound..<stop.lowerBound].filter { !$0.isOne(of: " \t\n\r") }
            guard let block = Data(base64Encoded: Data(lines)) else {
                throw DERError("text that is not base64", at: start.upperBound - data.startIndex)
            }
            blocks.append(block)
            rest = rest[stop.upperBound...]
        }
        guard !blocks.isEmpty else { throw DERError("neither DER nor -----BEGIN CERTIFICATE-----", at: 0) }
        return blocks
    }

    private static let begin = Data("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Data("-----END CERTIFICATE-----".utf8)
}

/// Why bytes are not DER (ITU-T X.690), or not what the reader expects.
struct DERError: Error, Hashable, CustomStringConvertible {
    /// What was found, as a noun phrase.
    let reason: String
    /// The position, in bytes.
    let offset: Int

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    var description: String { "\(reason) at byte \(offset)" }
}

/// Reads DER (ITU-T X.690) element by element, from left to right.
///
/// It never reads outside the bytes it was given, never recurses, and compares each length with the remaining bytes before it uses it.
struct DERReader {
    struct Element {
        let tag: Tag
        let start: Int
        let content: Range<Int>

        /// The element with its tag and length.
        var whole: Range<Int> { start..<content.upperBound }
    }

    struct Tag: RawRepresentable, Equatable {
        let rawValue: UInt8

        static let integer = Tag(rawValue: 0x02)
        static let bitString = Tag(rawValue: 0x03)
        static let objectIdentifier = Tag(rawValue: 0x06)
        static let utf8String = Tag(rawValue: 0x0C)
        static let sequence = Tag(rawValue: 0x30)
        static let set = Tag(rawValue: 0x31)

        /// `[number]`, constructed.
        static func context(_ number: UInt8) -> Tag { Tag(rawValue: 0xA0 | number) }
    }

    let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
        self.bytes = bytes
        (offset, end) = (range?.lowerBound ?? 0, range?.upperBound ?? bytes.count)
    }

    func inside(_ element: Element) -> DERReader { DERReader(bytes, in: element.content) }

    var isAtEnd: Bool { offset == end }

    func error(_ reason: String) -> DERError { DERError(reason, at: offset) }

    mutating func next() throws(DERError) -> Element {
        let start = offset
        let tag = try byte()
        guard tag & 0x1F != 0x1F else { throw error("a tag of more than one byte") }
        // Only sequences and sets consist of elements. In BER, strings can too.
        let isList = tag & 0x1F == 0x10 || tag & 0x1F == 0x11
        guard tag >= 0x40 || (tag & 0x20 != 0) == isList else { throw error("a type that cannot have this form") }
        let first = Int(try byte())
        var length = first
        if first >= 0x80 {
            let count = first - 0x80
            // Four bytes would be 16 MiB and more.
            guard (1...3).contains(count) else { throw error("an indefinite length or one that is too large") }
            length = 0
            for _ in 0..<count { length = length << 8 | Int(try byte()) }
            guard length >= 0x80, length >> (8 * (count - 1)) != 0 else { throw error("a length that is not minimal") }
        }
        guard length <= end - offset else { throw error("a length beyond the end") }
        let content = offset..<offset + length
        offset = content.upperBound
        return Element(tag: Tag(rawValue: tag), start: start, content: content)
    }

    /// Returns the next element, which must have that tag.
    mutating func next(_ tag: Tag, _ name: String) throws(DERError) -> Element {
        guard let found = try optional(tag) else { throw error("no \(name)") }
        return found
    }

    mutating func optional(_ tag: Tag) throws(DERError) -> Element? {
        offset < end && bytes[offset] == tag.rawValue ? try next() : nil
    }

    func finish(_ name: String) throws(DERError) { if !isAtEnd { throw error("bytes after \(name)") } }

    private mutating func byte() throws(DERError) -> UInt8 {
        guard offset < end else { throw error("the end") }
        defer { offset += 1 }
        return bytes[offset]
    }
}
