import NetCore

/// The name of a file by what a server says: never more than a name.
enum SuggestedFilename {
    /// By `Content-Disposition`, or by the end of the URL's path; `download` if there is none.
    static func name(for response: TransportResponse) -> String {
        ContentDisposition.filename(in: response.headers["Content-Disposition"]).flatMap(sanitized)
            ?? response.url.flatMap { sanitized($0.lastPathComponent) } ?? "download"
    }

    /// The same name as one that can stand in a folder and in no other, on every system; nil if nothing is left of it.
    ///
    /// What stands before a slash or a backslash goes: it is a path on the server's side (RFC 6266, section 4.3). Control characters
    /// and what Windows forbids become `_`, leading dots and dots and spaces at the end go, and what is a device to Windows gets a `_`.
    static func sanitized(_ name: String) -> String? {
        let last = name.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        var scalars = String.UnicodeScalarView()
        for scalar in last.precomposedStringWithCanonicalMapping.unicodeScalars {
            // A slash may have come back by normalisation, and a Character may hide it behind a combining mark.
            let isForbidden = "/\\<>:\"|?*".unicodeScalars.contains(scalar)
            switch scalar.properties.generalCategory {
            // Format characters turn text around: what looks like exe.txt may be txt.exe.
            case .format, .surrogate, .privateUse, .unassigned: continue
            case .control, .lineSeparator, .paragraphSeparator: scalars.append("_")
            default: scalars.append(isForbidden ? "_" : scalar)
            }
        }
        let trimmed = String(scalars.drop { $0 == "." || $0.properties.isWhitespace })
        var result = Substring(trimmed)
        func trimEnd() {
            while let end = result.unicodeScalars.last, end == "." || end.properties.isWhitespace {
                result = result.dropLast(result.unicodeScalars.isEmpty ? 0 : 1)
            }
        }
        trimEnd()
        if isDevice(result) { result = "_" + result }
        let text = shortened(String(result))
        return text.isEmpty ? nil : text
    }

    /// `CON`, `COM1.txt` and the like: to Windows no file, whatever the extension.
    private static func isDevice(_ name: Substring) -> Bool {
        let stem = name.prefix { $0 != "." }.trimmingHTTPWhitespace.uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        guard stem.hasPrefix("COM") || stem.hasPrefix("LPT"), stem.count == 4, let digit = stem.last else {
            return false
        }
        return "123456789¹²³".contains(digit)
    }

    /// File systems have room for 255 bytes; some are left for what is added here. The extension stays.
    private static func shortened(_ name: String) -> String {
        let limit = 200
        guard name.utf8.count > limit else { return name }
        let (stem, suffix) = parts(of: name)
        let kept = suffix.utf8.count <= 20 ? suffix : ""
        var result = ""
        for character in stem {
            guard result.utf8.count + character.utf8.count + kept.utf8.count <= limit else { break }
            result.append(character)
        }
        return result + kept
    }

    /// The name and its extension, with the dot.
    static func parts(of name: String) -> (stem: String, suffix: String) {
        // Bytes: characters from the end cost more with each of many flags in a row.
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }
}

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
