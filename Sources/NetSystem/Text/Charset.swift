/// A character set of IANA's registry (RFC 2978), with the same names on all platforms.
///
/// Foundation decodes Unicode, ASCII and ISO-8859-1, and the system all others: `iconv` on Linux, CoreFoundation on Apple platforms. Names
/// are looked up in a list, so that a server cannot choose among all of the system's converters.
package struct Charset: Hashable, Sendable {
    /// The preferred MIME name, in lower case.
    package let name: String

    package static let utf8 = Charset(known: "utf-8")

    private init(known name: String) { self.name = name }

    /// Creates the character set with a name or an alias, in any case. Nil if it is unknown.
    package init?(named name: String) {
        guard name.utf8.count <= Self.longestName, let known = Self.names[name.asciiLowercased] else { return nil }
        self.name = known
    }

    /// Decodes bytes in linear time.
    ///
    /// Servers use some names for supersets, which browsers decode (the WHATWG's Encoding Standard): Shift_JIS is Windows-31J, EUC-KR is
    /// Windows-949, Big5 includes the characters of Hong Kong, and text that is not GB2312 may be GB18030.
    ///
    /// - Returns: the text, `.some(nil)` if the bytes are invalid in this character set, or nil if the system does not support it.
    package func decode(_ data: Data) -> String?? {
        if let encoding = Self.foundation[name] { return .some(String(data: data, encoding: encoding)) }
        var isKnown = false
        for (index, converter) in (Self.converters[name] ?? [name]).enumerated() {
            guard case .some(let text) = Self.convert(data, from: converter) else { continue }
            isKnown = true
            // A private-use character that only the second converter reads would be a guess.
            if let text, index == 0 || !text.unicodeScalars.contains(where: \.isPrivateUse) { return text }
        }
        return isKnown ? .some(nil) : nil
    }

    private static let foundation: [String: String.Encoding] = [
        "utf-8": .utf8, "us-ascii": .ascii, "iso-8859-1": .isoLatin1,
        "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf-32": .utf32, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
    ]

    /// The converters of a character set, if they have other names, in order of preference.
    private static let converters = [
        "shift_jis": ["windows-31j"], "gb2312": ["gb2312", "gb18030"], "gbk": ["gbk", "gb18030"],
        "euc-kr": ["cp949"], "big5": ["big5-hkscs", "cp950"], "tis-620": ["iso-8859-11"],
    ]
}

extension Unicode.Scalar {
    fileprivate var isPrivateUse: Bool { properties.generalCategory == .privateUse }
}

extension Charset {
    /// The preferred MIME names by lower-case name and alias.
    static let names: [String: String] = {
        var result: [String: String] = [:]
        for line in registered + iso + windows {
            let names = line.split(separator: " ").map(String.init)
            for name in names { result[name] = names[0] }
        }
        return result
    }()

    /// The limit for a name in bytes. The longest, `extended_unix_code_packed_format_for_japanese`, has 45.
    static let longestName = 64

    /// The preferred names.
    package static let all = Set(names.values)

    /// Each line is a character set: its preferred name, its aliases, and names that servers use.
    private static let registered = [
        "utf-8 utf8 csutf8 unicode-1-1-utf-8", "utf-16 utf16 csutf16", "utf-16be csutf16be", "utf-16le csutf16le",
        "utf-32 utf32 csutf32", "utf-32be csutf32be", "utf-32le csutf32le",
        "us-ascii ascii us iso-ir-6 ansi_x3.4-1968 ansi_x3.4-1986 iso_646.irv:1991 iso646-us ibm367 cp367 csascii",
        "shift_jis ms_kanji csshiftjis shift-jis sjis x-sjis", "windows-31j cswindows31j cp932 ms932",
        "euc-jp eucjp x-euc-jp cseucpkdfmtjapanese extended_unix_code_packed_format_for_japanese",
        "iso-2022-jp csiso2022jp",
        "euc-kr euckr cseuckr ks_c_5601-1987 ks_c_5601-1989 ksc_5601 ksc5601 korean iso-ir-149 csksc56011987",
        "cp949 windows-949 ms949 uhc", "iso-2022-kr csiso2022kr",
        "gb2312 csgb2312 euc-cn gb_2312-80 chinese iso-ir-58 csiso58gb231280",
        "gbk csgbk cp936 ms936 windows-936 x-gbk", "gb18030 csgb18030", "big5 csbig5 cn-big5 big-5 x-x-big5",
        "big5-hkscs csbig5hkscs", "koi8-r cskoi8r koi8 koi", "koi8-u cskoi8u", "tis-620 cstis620",
        "ibm437 cp437 437 cspc8codepage437", "ibm850 cp850 850 cspc850multilingual",
        "ibm852 cp852 852 cspcp852", "ibm855 cp855 855 csibm855", "ibm857 cp857 857 csibm857",
        "ibm866 cp866 866 csibm866", "cp858 ibm00858 ccsid00858 pc-multilingual-850+euro csibm00858",
    ]

    /// ISO/IEC 8859: the part and its aliases.
    private static let iso = [
        "1 iso_8859-1:1987 iso-ir-100 latin1 l1 ibm819 cp819 csisolatin1",
        "2 iso_8859-2:1987 iso-ir-101 latin2 l2 csisolatin2", "3 iso_8859-3:1988 iso-ir-109 latin3 l3 csisolatin3",
        "4 iso_8859-4:1988 iso-ir-110 latin4 l4 csisolatin4",
        "5 iso_8859-5:1988 iso-ir-144 cyrillic csisolatincyrillic",
        "6 iso_8859-6:1987 iso-ir-127 ecma-114 asmo-708 arabic csisolatinarabic iso-8859-6-e csiso88596e iso-8859-6-i csiso88596i",
        "7 iso_8859-7:1987 iso-ir-126 elot_928 ecma-118 greek greek8 csisolatingreek",
        "8 iso_8859-8:1988 iso-ir-138 hebrew csisolatinhebrew iso-8859-8-e csiso88598e iso-8859-8-i csiso88598i logical",
        "9 iso_8859-9:1989 iso-ir-148 latin5 l5 csisolatin5", "10 iso_8859-10:1992 iso-ir-157 latin6 l6 csisolatin6",
        "11 csiso885911", "13 csiso885913", "14 iso_8859-14:1998 iso-ir-199 latin8 l8 iso-celtic csiso885914",
        "15 latin-9 csiso885915", "16 iso_8859-16:2001 iso-ir-226 latin10 l10 csiso885916",
    ].map { "iso-8859-\($0) iso8859-\($0.prefix { $0 != " " }) iso_8859-\($0.prefix { $0 != " " })" }

    private static let windows =
        ["874"].map { "windows-\($0) cp\($0) cswindows\($0)" }
        + (1250...1258).map { "windows-\($0) cp\($0) x-cp\($0) cswindows\($0)" }
}
