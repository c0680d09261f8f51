import NetCore

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

    struct Tag: RawRepresentable, ExpressibleByIntegerLiteral, Equatable {
        let rawValue: UInt8

        init(rawValue: UInt8) { self.rawValue = rawValue }
        init(integerLiteral: UInt8) { rawValue = integerLiteral }

        static let integer: Tag = 0x02
        static let bitString: Tag = 0x03
        static let objectIdentifier: Tag = 0x06
        static let utf8String: Tag = 0x0C
        static let sequence: Tag = 0x30
        static let set: Tag = 0x31

        /// `[number]`, constructed.
        static func context(_ number: UInt8) -> Tag { Tag(rawValue: 0xA0 | number) }
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

    /// A reader of an element's content.
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

    /// The next element, which must have that tag.
    mutating func next(_ tag: Tag, _ name: String) throws(DERError) -> Element {
        guard let found = try optional(tag) else { throw error("no \(name)") }
        return found
    }

    /// The next element if it has that tag.
    mutating func optional(_ tag: Tag) throws(DERError) -> Element? {
        offset < end && bytes[offset] == tag.rawValue ? try next() : nil
    }

    func finish(_ name: String) throws(DERError) {
        guard isAtEnd else { throw error("bytes after \(name)") }
    }

    private mutating func byte() throws(DERError) -> UInt8 {
        guard offset < end else { throw error("the end") }
        defer { offset += 1 }
        return bytes[offset]
    }
}
