import NetCore

/// Words for a POSIX shell.
enum ShellQuoting {
    /// The text as one word. Inside single quotes nothing is special but the quote itself.
    static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy(isHarmless)
        return isPlain ? text : "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }

    /// A command that prints exactly these bytes. `printf` is built into every shell, so that no limit on the length of
    /// arguments applies, and its format can name any byte, where `$'…'` is not POSIX and a word cannot hold NUL.
    static func printing(_ bytes: some Sequence<UInt8>) -> String {
        var format = [UInt8]()
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): format += "%%".utf8
            case UInt8(ascii: "\\"): format += #"\\"#.utf8
            case UInt8(ascii: "\n"): format += #"\n"#.utf8
            case UInt8(ascii: "\t"): format += #"\t"#.utf8
            case UInt8(ascii: "\r"): format += #"\r"#.utf8
            // A format that begins with a hyphen would be read as an option.
            case UInt8(ascii: "-") where format.isEmpty: format += octal(byte)
            case UInt8(ascii: "'"), ..<0x20, 0x7F...: format += octal(byte)
            default: format.append(byte)
            }
        }
        return "printf '\(String(decoding: format, as: UTF8.self))'"
    }

    private static func octal(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "\\")] + [byte >> 6, (byte >> 3) & 7, byte & 7].map { UInt8(ascii: "0") + $0 }
    }

    private static func isHarmless(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_./:@".utf8.contains(byte)
        }
    }
}
