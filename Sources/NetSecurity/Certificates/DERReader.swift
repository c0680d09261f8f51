internal import NetCore

/// Reads DER (ITU-T X.690) element by element, from left to right.
///
/// It never reads outside of what it was given, never recurses, and takes no number from the input on trust: a length is
/// compared with what is left before it is used.
struct DERReader {
    /// A tag, and where its content lies.
    struct Element {
        let tag: UInt8
        let start: Int
        let content: Range<Int>

        /// The element with its tag and length.
        var whole: Range<Int> { start..<content.upperBound }
    }

    enum Tag {
        static let boolean: UInt8 = 0x01
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31

        /// `[number]`, constructed.
        static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
    }

    let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        self.init(bytes, in: 0..<bytes.count)
    }

    private init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// A reader of what is in an element.
    func inside(_ element: Element) -> DERReader {
        DERReader(bytes, in: element.content)
    }

    var isAtEnd: Bool { offset == end }

    /// The tag of the next element; nil at the end.
    var nextTag: UInt8? { offset < end ? bytes[offset] : nil }

    func error(_ reason: String) -> CertificateError { .malformed(reason, offset: offset) }

    /// The next element.
    mutating func next() throws(CertificateError) -> Element {
        let start = offset
        let tag = try byte()
        guard tag & 0x1F != 0x1F else { throw error("a tag of more than one byte") }
        // Sequences and sets alone are made of elements; in BER strings can be, too.
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
        return Element(tag: tag, start: start, content: content)
    }

    /// The next element, which has to have that tag.
    mutating func next(_ tag: UInt8, _ name: String) throws(CertificateError) -> Element {
        guard nextTag == tag else { throw error("no \(name)") }
        return try next()
    }

    /// The next element if it has that tag.
    mutating func optional(_ tag: UInt8) throws(CertificateError) -> Element? {
        nextTag == tag ? try next() : nil
    }

    /// Whether all has been read.
    func finish(_ name: String) throws(CertificateError) {
        guard isAtEnd else { throw error("something after \(name)") }
    }

    private mutating func byte() throws(CertificateError) -> UInt8 {
        guard offset < end else { throw error("the end") }
        defer { offset += 1 }
        return bytes[offset]
    }
}
