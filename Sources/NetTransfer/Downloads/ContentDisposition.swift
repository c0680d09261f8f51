import NetCore

/// Reads the file name out of `Content-Disposition` (RFC 6266), as it stands there: it is not safe yet.
enum ContentDisposition {
    /// `filename*` (RFC 8187), or else `filename`; nil if there is none that can be read.
    static func filename(in value: String?) -> String? {
        guard let value, value.utf8.count <= 8192 else { return nil }
        var plain: String?
        var extended: String?
        for (name, text) in parameters(of: value) {
            // Of a name that is there twice the first one stands: a proxy may have looked at that.
            if name == "filename" { plain = plain ?? text }
            if name == "filename*" { extended = extended ?? decoded(text) }
        }
        return extended ?? plain
    }

    /// `UTF-8'en'na%C3%AFve.txt`; nil for another character set than UTF-8 and ISO-8859-1, and for what is not encoded as it says.
    private static func decoded(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2].utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count == 2 else { return nil }
            bytes.append(UInt8(digits[0] << 4 | digits[1]))
            rest = rest.dropFirst(2)
        }
        switch parts[0].lowercased() {
        case "utf-8": return String(bytes: bytes, encoding: .utf8)
        case "iso-8859-1": return String(bytes: bytes, encoding: .isoLatin1)
        default: return nil
        }
    }

    /// Names in lower case, values without their quotes.
    private static func parameters(of value: String) -> [(String, String)] {
        var result: [(String, String)] = []
        var rest = Substring(value)[...]
        // The type, `attachment` or `inline`, makes no difference.
        guard let first = rest.firstIndex(of: ";") else { return [] }
        rest = rest[rest.index(after: first)...]
        while let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals].drop { $0 == ";" || $0.isWhitespace }).trimmingHTTPWhitespace
            rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            let text = rest.first == "\"" ? quoted(&rest) : token(&rest)
            result.append((String(name).asciiLowercased, text))
            guard let next = rest.firstIndex(of: ";") else { break }
            rest = rest[rest.index(after: next)...]
        }
        return result
    }

    private static func token(_ rest: inout Substring) -> String {
        let text = rest.prefix { $0 != ";" }
        rest = rest[text.endIndex...]
        return String(text.trimmingHTTPWhitespace)
    }

    private static func quoted(_ rest: inout Substring) -> String {
        rest = rest.dropFirst()
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            text.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return text
    }
}
