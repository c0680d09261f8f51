import NetCore

/// Reads the file name out of `Content-Disposition` (RFC 6266), as it stands there: it is not safe yet.
enum ContentDisposition {
    /// `filename*` (RFC 8187), or else `filename`; nil if there is none that can be read. A malformed parameter does not hide the others.
    static func filename(in value: String?) -> String? {
        guard let value, value.utf8.count <= 8192 else { return nil }
        var plain: String?
        var extended: String?
        for (name, text) in FieldParameters.parse(value) {
            // Of a name that is there twice the first one that can be read stands: a proxy may have looked at that.
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
}
