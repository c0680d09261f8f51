import NetCore

/// The server's name for a file. It is never more than a name.
enum SuggestedFilename {
    /// Returns the name in `Content-Disposition`, or the end of the URL's path, or `download`.
    static func name(for response: TransportResponse) -> String {
        ContentDisposition.filename(in: response.headers["Content-Disposition"]).flatMap(sanitized)
            ?? response.url.flatMap { sanitized($0.lastPathComponent) } ?? "download"
    }

    /// Returns a name that is safe in a folder on every system, or nil if nothing is left of it.
    ///
    /// Removes what precedes a slash or a backslash, which is a path of the server (RFC 6266, section 4.3), leading dots, and trailing dots
    /// and spaces. Control characters, and characters that Windows forbids, become `_`. Names of Windows devices get a leading `_`.
    static func sanitized(_ name: String) -> String? {
        let last = name.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        var scalars = String.UnicodeScalarView()
        for scalar in last.precomposedStringWithCanonicalMapping.unicodeScalars {
            // Normalisation may produce a slash, and a Character may hide it behind a combining mark.
            let isForbidden = "/\\<>:\"|?*".unicodeScalars.contains(scalar)
            switch scalar.properties.generalCategory {
            // Format characters can reverse text: a name that looks like exe.txt may be txt.exe.
            case .format, .surrogate, .privateUse, .unassigned: continue
            case .control, .lineSeparator, .paragraphSeparator: scalars.append("_")
            default: scalars.append(isForbidden ? "_" : scalar)
            }
        }
        var kept = scalars.drop { $0 == "." || $0.properties.isWhitespace }
        while let end = kept.last, end == "." || end.properties.isWhitespace { kept.removeLast() }
        let result = Substring(kept)
        let text = shortened(isDevice(result) ? "_" + result : String(result))
        return text.isEmpty ? nil : text
    }

    /// `CON`, `COM1.txt` and the like, which Windows treats as devices with any extension.
    private static func isDevice(_ name: Substring) -> Bool {
        let stem = name.prefix { $0 != "." }.trimmingHTTPWhitespace.uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        return (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && stem.count == 4
            && "123456789¹²³".contains { $0 == stem.last }
    }

    /// File systems permit 255 bytes. Some are left for suffixes. The extension is kept.
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

    /// Splits a name into stem and extension, with the dot.
    static func parts(of name: String) -> (stem: String, suffix: String) {
        // By bytes: finding the last Character of many flags in a row takes quadratic time.
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }
}

/// Reads the file name in `Content-Disposition` (RFC 6266), unsanitized.
enum ContentDisposition {
    /// Returns `filename*` (RFC 8187), or else `filename`, or nil if neither is readable. A malformed parameter does not hide the others.
    static func filename(in value: String?) -> String? {
        guard let value, value.utf8.count <= 8192 else { return nil }
        var plain: String?
        var extended: String?
        for (name, text) in FieldParameters.parse(value) {
            // If a parameter is repeated, the first readable one wins, since a proxy may have checked that one.
            if name == "filename" { plain = plain ?? text }
            if name == "filename*" { extended = extended ?? decoded(text) }
        }
        return extended ?? plain
    }

    /// Decodes `UTF-8'en'na%C3%AFve.txt`. Nil for a character set other than UTF-8 and ISO-8859-1, or a malformed value.
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
            let digits = rest.prefix(2).compactMap(PercentEncoding.hex)
            guard digits.count == 2 else { return nil }
            bytes.append(digits[0] << 4 | digits[1])
            rest = rest.dropFirst(2)
        }
        switch parts[0].lowercased() {
        case "utf-8": return String(bytes: bytes, encoding: .utf8)
        case "iso-8859-1": return String(bytes: bytes, encoding: .isoLatin1)
        default: return nil
        }
    }
}
