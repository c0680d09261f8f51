/// A character set, found by its name in IANA's registry (RFC 2978), the same on all platforms.
///
/// Unicode, ASCII and ISO-8859-1 are read by Foundation, all others by the system: `iconv` on Linux, CoreFoundation on Apple's systems.
/// Names are looked up in a list, so that a server does not choose which of the system's converters runs.
package struct Charset: Hashable, Sendable {
    /// The preferred MIME name, in lower case.
    package let name: String

    package static let utf8 = Charset(known: "utf-8")

    private init(known name: String) {
        self.name = name
    }

    /// The character set of a name or an alias, whatever its case; nil if there is none.
    package init?(named name: String) {
        guard name.utf8.count <= Self.longestName, let known = Self.names[name.asciiLowercased] else { return nil }
        self.name = known
    }

    /// The `charset` of a `Content-Type`; nil if it has none.
    ///
    /// - Throws: ``UnknownCharset``.
    package init?(contentType: String) throws(UnknownCharset) {
        guard let name = Self.parameter(in: contentType) else { return nil }
        guard let charset = Charset(named: name) else { throw UnknownCharset(name: name) }
        self = charset
    }

    /// The value of the parameter `charset`, as it stands there.
    package static func parameter(in contentType: String) -> String? {
        FieldParameters.parse(contentType).first { $0.name == "charset" }?.value
    }

    /// The text of the bytes; nil if they are not text in this character set. The work is linear in their number.
    ///
    /// Servers use a few names for more than the registry says, and browsers read what is meant (the WHATWG's Encoding Standard): Shift_JIS is
    /// Windows-31J, EUC-KR is Windows-949, Big5 has the characters of Hong Kong, and text that is not GB2312 may be GB18030.
    ///
    /// - Throws: ``UnknownCharset`` if this system cannot read it.
    package func text(_ data: Data) throws(UnknownCharset) -> String? {
        if let encoding = Self.foundation[name] { return String(data: data, encoding: encoding) }
        var isKnown = false
        for (index, converter) in (Self.converters[name] ?? [name]).enumerated() {
            guard case .some(let text) = Self.convert(data, from: converter) else { continue }
            isKnown = true
            // What only a second converter can read, and as a character for private use, would be a guess.
            if let text, index == 0 || !text.unicodeScalars.contains(where: \.isPrivateUse) { return text }
        }
        guard isKnown else { throw UnknownCharset(name: name) }
        return nil
    }

    private static let foundation: [String: String.Encoding] = [
        "utf-8": .utf8, "us-ascii": .ascii, "iso-8859-1": .isoLatin1,
        "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf-32": .utf32, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
    ]

    /// What reads a character set, by its name, unless it is that of the same name: the first that can.
    private static let converters = [
        "shift_jis": ["windows-31j"], "gb2312": ["gb2312", "gb18030"], "gbk": ["gbk", "gb18030"],
        "euc-kr": ["cp949"], "big5": ["big5-hkscs", "cp950"], "tis-620": ["iso-8859-11"],
    ]
}

extension Unicode.Scalar {
    fileprivate var isPrivateUse: Bool { properties.generalCategory == .privateUse }
}
