import NetCore

/// The parts of structured fields (RFC 9651) that digests and the limits of uploads need. `listMembers()` splits a dictionary.
enum StructuredField {
    /// Returns the key and the value of a dictionary's member, without parameters, or nil if it is malformed.
    static func keyAndItem(_ member: Substring) -> (key: String, item: String)? {
        let text = member.trimmingHTTPWhitespace
        let key = text.prefix { $0.isASCII && ($0.isLowercase || $0.isNumber || "_-.*".contains($0)) }
        guard let first = key.first, first.isLowercase || first == "*" else { return nil }
        let rest = text.dropFirst(key.count)
        guard let sign = rest.first else { return (String(key), "?1") }
        switch sign {
        case "=": return (String(key), String(rest.dropFirst()))
        case ";": return (String(key), "?1")
        default: return nil
        }
    }

    /// Returns an integer of up to 15 digits, or nil for anything else.
    static func integer(_ item: some StringProtocol) -> Int64? {
        let text = bare(item)
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }

    /// Returns the boolean of `?0` or `?1`, or nil for anything else.
    static func boolean(_ item: some StringProtocol) -> Bool? {
        switch bare(item) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// Returns the bytes between two colons in Base64, or nil for anything else.
    static func bytes(_ item: some StringProtocol) -> Data? {
        let text = bare(item)
        guard text.utf8.count > 2, text.hasPrefix(":"), text.hasSuffix(":") else { return nil }
        return Data(base64Encoded: String(text.dropFirst().dropLast()))
    }

    /// Removes the parameters.
    private static func bare(_ item: some StringProtocol) -> String {
        String(Substring(item).prefix { $0 != ";" }.trimmingHTTPWhitespace)
    }
}
