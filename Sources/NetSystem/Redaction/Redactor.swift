/// Decides what may be shown in error descriptions, snapshots, logs, cURL lines and HAR files.
///
/// It denies by default. It shows the values of header fields, query items and body fields with harmless *names*, unless a value looks like
/// a secret. Data that cannot be parsed (malformed JSON, an unknown kind of body) is not shown.
///
/// ``FieldNames`` has the lists of names. ``SecretScanner`` finds secrets by their form.
package struct Redactor: Sendable {
    /// Replaces redacted text.
    package static let mark = "[REDACTED]"

    /// Redacts nothing. For debugging only.
    package static let none = Redactor(rules: nil)

    /// The rules, or nil to redact nothing.
    let rules: RedactionRules?

    private init(rules: RedactionRules?) {
        self.rules = rules
    }

    /// Creates a redactor with custom rules.
    package init(rules: RedactionRules) {
        self.rules = rules
    }

    /// Whether anything is redacted.
    package var isEnabled: Bool { rules != nil }

    /// The maximum number of bytes of a field to examine and show. The mark replaces the rest.
    package static let fieldLimit = 8 << 10

    /// Returns the value of a header, or the mark. Secrets in a shown value are redacted, and it is cut at ``fieldLimit``.
    package func headerValue(_ value: String, named name: String) -> String {
        guard let rules else { return value }
        return rules.showsHeader(name) ? SecretScanner.scrub(value, rules, limit: Self.fieldLimit) : Self.mark
    }

    /// Returns the name of a field, or the mark if the name is a secret.
    package func name(_ name: String) -> String {
        guard let rules, SecretScanner.holdsSecret(name, rules) else { return name }
        return Self.mark
    }

    /// Returns text without secrets that are recognisable by their form: tokens, card numbers, `password=…`, user information in URLs.
    package func text(_ text: String) -> String {
        rules.map { SecretScanner.scrub(text, $0) } ?? text
    }
}

extension Redactor {
    /// Returns the value of a form field, or the mark.
    ///
    /// - Parameters:
    ///   - value: the decoded value.
    ///   - name: the decoded name: `password`, `user[password]`, `user.password`.
    package func fieldValue(_ value: String, named name: String) -> String {
        guard let rules else { return value }
        let parts = name.utf8.split { "[].".utf8.contains($0) }
        guard let last = parts.last, rules.fields.contains(last), !parts.contains(where: { rules.isSecret($0) }),
            !SecretScanner.holdsSecret(value, rules)
        else { return Self.mark }
        return value
    }

    /// Returns a form (`application/x-www-form-urlencoded`) with values replaced by the mark, otherwise unchanged.
    package func form(_ data: Data) -> Data {
        guard let rules else { return data }
        let items = data.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item -> Data in
            // Works on bytes, because a combining mark changes the character of a preceding `=`.
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else {
                return item.isEmpty ? Data() : Data(Self.mark.utf8)
            }
            let name = String(decoding: item[..<equals], as: UTF8.self)
            let value = String(decoding: item[(equals + 1)...], as: UTF8.self)
            let decodedName = PercentEncoding.decode(name, plusIsSpace: true)
            let shown = fieldValue(PercentEncoding.decode(value, plusIsSpace: true), named: decodedName)
            let isNameShown = !SecretScanner.holdsSecret(decodedName, rules)
            return Data("\(isNameShown ? name : Self.mark)=\(shown == Self.mark ? shown : value)".utf8)
        }
        return Data(items.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Returns the decoded names and values of a form, with values replaced by the mark.
    package func formItems(_ data: Data) -> [(name: String, value: String)] {
        data.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.decode(String(decoding: $0, as: UTF8.self), plusIsSpace: true) }
            guard parts.count == 2 else { return (isEnabled ? Self.mark : parts[0], "") }
            let name = rules.map { SecretScanner.holdsSecret(parts[0], $0) } == true ? Self.mark : parts[0]
            return (name, fieldValue(parts[1], named: parts[0]))
        }
    }
}

extension Redactor {
    /// Returns the URL without user information, with secrets in the path, query values and the fragment replaced by the mark. Of a URL
    /// without an authority (`mailto:`, `data:`, `http:user@host`) only the scheme is shown.
    package func text(of url: URL) -> String {
        self.url(url.absoluteString)
    }

    /// Does the same for text that may be a URL.
    package func url(_ text: String) -> String {
        guard let rules else { return text }
        var text = text
        return text.withUTF8({ Self.isHarmless(url: $0, rules) }) ? text : Self.redact(url: text, rules)
    }

    /// Does the same and returns a valid URL, with the mark percent-encoded.
    package func validURL(_ text: String) -> String {
        guard isEnabled else { return text }
        return url(text).replacingOccurrences(of: Self.mark, with: Self.encodedMark)
    }

    package static let encodedMark = PercentEncoding.encode(mark)

    /// Returns the decoded value of a query item, or the mark.
    package func queryValue(_ value: String, named name: String) -> String {
        guard let rules else { return value }
        return Self.shows(queryItem: name, value, rules) ? value : Self.mark
    }

    /// Whether the decoded value of a query item may be shown: its name, or the last part of it (`page[size]`), is harmless, and the value has
    /// the form that the name implies.
    private static func shows(queryItem name: String, _ value: String, _ rules: RedactionRules) -> Bool {
        if !rules.queryItems.contains(name.utf8) {
            let parts = name.utf8.split { "[].".utf8.contains($0) }
            guard let last = parts.last, !parts.contains(where: { rules.isSecret($0) }) else { return false }
            let isNumber = rules.queryNumbers.contains(last)
            guard isNumber ? isShortNumber(value) : parts.count > 1 && rules.queryItems.contains(last) else {
                return false
            }
        }
        return !SecretScanner.holdsSecret(value, rules)
    }

    private static func isShortNumber(_ text: String) -> Bool {
        text.utf8.count <= 12 && text.utf8.allSatisfy { $0.isDigit || "-.,".utf8.contains($0) }
    }

    /// Whether a URL has an authority and a path without any part that might be redacted. Most URLs in logs do, and are
    /// not copied.
    private static func isHarmless(url: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) -> Bool {
        let slash = UInt8(ascii: "/")
        guard !url.contains(where: \.mayHideInURL), let colon = url.firstIndex(of: UInt8(ascii: ":")),
            url[colon...].starts(with: "://".utf8), !url[..<colon].contains(slash)
        else { return false }
        var end = url[(colon + 3)...].firstIndex(of: slash) ?? url.count
        while end < url.count {
            let start = end + 1
            end = url[start...].firstIndex(of: slash) ?? url.count
            let segment = UnsafeBufferPointer(rebasing: url[start..<end])
            guard !isSecret(segment: segment, rules), !rules.isSecret(segment) else { return false }
        }
        return true
    }

    /// Works on bytes instead of `URLComponents`, because an invalid URL must be redacted too. Characters would not do: a combining mark
    /// changes the character of a preceding `?`, which still delimits the query.
    static func redact(url: String, _ rules: RedactionRules) -> String {
        var rest = url[...].utf8
        var fragment = ""
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = "#" + mark
            rest = rest[..<hash]
        }
        var query = ""
        if let question = rest.firstIndex(of: UInt8(ascii: "?")) {
            let items = rest[rest.index(after: question)...].split(
                separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            query = "?" + items.map { redact(queryItem: $0, rules) }.joined(separator: "&")
            rest = rest[..<question]
        }
        return redact(hierarchy: rest, rules) + query + fragment
    }

    private static func redact(queryItem item: Substring.UTF8View, _ rules: RedactionRules) -> String {
        guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return item.isEmpty ? "" : mark }
        let name = text(item[..<equals])
        let value = text(item[item.index(after: equals)...])
        let decoded = (name: PercentEncoding.decode(name), value: PercentEncoding.decode(value))
        let shownName = SecretScanner.holdsSecret(decoded.name, rules) ? mark : name
        return "\(shownName)=\(shows(queryItem: decoded.name, decoded.value, rules) ? value : mark)"
    }

    /// Redacts scheme, authority and path.
    private static func redact(hierarchy url: Substring.UTF8View, _ rules: RedactionRules) -> String {
        let slash = UInt8(ascii: "/")
        let schemeEnd = url.firstIndex { $0 == UInt8(ascii: ":") || $0 == slash }.flatMap {
            url[$0] == slash ? nil : url.index(after: $0)
        }
        let start = schemeEnd ?? url.startIndex
        guard url[start...].starts(with: "//".utf8) else {
            return schemeEnd == nil ? redact(path: url, rules) : text(url[..<start]) + mark
        }
        let authority = url.index(start, offsetBy: 2)
        let end = url[authority...].firstIndex(of: slash) ?? url.endIndex
        let host = url[authority..<end].lastIndex(of: UInt8(ascii: "@")).map { url.index(after: $0) } ?? authority
        return text(url[..<authority]) + text(url[host..<end]) + redact(path: url[end...], rules)
    }

    /// Redacts each segment that is a secret by its form or follows a segment that announces one (`/password/…`), and the values of parameters
    /// (`;token=…`).
    private static func redact(path: Substring.UTF8View, _ rules: RedactionRules) -> String {
        guard !path.isEmpty else { return "" }
        var isAnnounced = false
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
            guard !segment.isEmpty else { return "" }
            let parts = segment.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            let shown = text(parts[0])
            var decoded = PercentEncoding.decode(shown)
            let isHidden =
                isAnnounced && !routeWords.contains(decoded) || decoded.withUTF8 { isSecret(segment: $0, rules) }
            isAnnounced = rules.isSecret(decoded.utf8)
            let parameters = parts.dropFirst().map { part in
                part.firstIndex(of: UInt8(ascii: "=")).map { ";\(text(part[..<$0]))=\(mark)" } ?? ";" + mark
            }
            return (isHidden ? mark : shown) + parameters.joined()
        }
        return segments.joined(separator: "/")
    }

    private static func text(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private static func isSecret(segment: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) -> Bool {
        if rules.isStrict, segment.contains(where: \.isDigit) {
            // An API version identifies no person.
            return segment.count > 3 || segment.first != UInt8(ascii: "v")
        }
        return SecretScanner.holdsSecret(segment, rules)
    }

    /// Words of routes (`/token/refresh`), which are unlikely passwords.
    private static let routeWords: Set<String> = [
        "refresh", "revoke", "introspect", "verify", "validate", "confirm", "reset", "forgot", "change", "update",
        "new", "create", "edit", "delete", "search", "list", "callback", "login", "logout", "me", "self", "current",
        "status", "exchange", "renew", "rotate", "generate", "token", "tokens", "password", "session", "sessions",
        "keys", "certs", "info",
    ]
}

extension UInt8 {
    /// Whether the byte delimits a part of a URL that may be redacted whatever it is, or starts an escape.
    fileprivate var mayHideInURL: Bool {
        switch self {
        case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: ";"), UInt8(ascii: "%"): true
        default: false
        }
    }
}
