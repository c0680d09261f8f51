import NetCore

/// As much of structured fields (RFC 9651) as the uploads of the IETF's draft need.
enum StructuredField {
    /// The members of a dictionary or list, as text: cut at the commas outside of strings and inner lists.
    static func members(of field: String) -> [Substring] {
        var members: [Substring] = []
        var start = field.startIndex
        var isInString = false
        var isEscaped = false
        var depth = 0
        for index in field.indices {
            switch field[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isInString: isEscaped = true
            case "\"": isInString.toggle()
            case _ where isInString: break
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth <= 0:
                members.append(field[start..<index])
                start = field.index(after: index)
            default: break
            }
        }
        members.append(field[start...])
        return members
    }

    /// The key and the value of a dictionary's member, without its parameters; nil if it is none.
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

    /// An integer: up to 15 digits. Nil for anything else.
    static func integer(_ item: some StringProtocol) -> Int64? {
        let text = bare(item)
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }

    /// A boolean: `?0` or `?1`. Nil for anything else.
    static func boolean(_ item: some StringProtocol) -> Bool? {
        switch bare(item) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// Without parameters.
    private static func bare(_ item: some StringProtocol) -> String {
        String(Substring(item).prefix { $0 != ";" }.trimmingHTTPWhitespace)
    }
}
