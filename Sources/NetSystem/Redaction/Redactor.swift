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

    let rules: RedactionRules?

    /// - Parameter rules: nil to redact nothing.
    package init(rules: RedactionRules?) { self.rules = rules }

    /// Whether anything is redacted.
    package var isEnabled: Bool { rules != nil }

    /// Returns the value of a header, or the mark, also if it is longer than 8 KiB. Secrets in a shown value are redacted.
    package func headerValue(_ value: String, named name: String) -> String {
        guard let rules else { return value }
        guard value.utf8.count <= 8 << 10, rules.showsHeader(name) else { return Self.mark }
        return SecretScanner.scrub(value, rules)
    }

    /// Returns the name of a field, or the mark if the name is a secret.
    package func name(_ name: String) -> String {
        rules.map { SecretScanner.holdsSecret(name, $0) } == true ? Self.mark : name
    }

    /// Returns text without secrets that are recognisable by their form: tokens, card numbers, user information in URLs. Behind a secret
    /// name, as in `password=…`, nothing is shown.
    package func text(_ text: String) -> String { rules.map { SecretScanner.scrub(text, $0) } ?? text }
}

extension Redactor {
    /// Returns the decoded value of a form field, or the mark. The name is decoded too: `password`, `user[password]`, `user.password`.
    package func fieldValue(_ value: String, named name: String) -> String {
        rules?.shows(value, ofField: name) == false ? Self.mark : value
    }

    /// Returns the decoded value of a query item, or the mark.
    package func queryValue(_ value: String, named name: String) -> String {
        rules?.shows(value, ofQueryItem: name) == false ? Self.mark : value
    }

    /// Returns a form (`application/x-www-form-urlencoded`) with values replaced by the mark, otherwise unchanged.
    package func form(_ data: Data) -> Data {
        guard isEnabled else { return data }
        return Data(redact(String(decoding: data, as: UTF8.self).utf8[...], isForm: true).utf8)
    }

    /// Returns the decoded names and values of a form or a query, with values replaced by the mark.
    package func items(_ data: some Collection<UInt8>, isForm: Bool) -> [(name: String, value: String)] {
        data.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.decode(String(decoding: $0, as: UTF8.self), plusIsSpace: isForm) }
            // A value without a name.
            guard parts.count == 2 else { return (isEnabled ? Self.mark : parts[0], "") }
            let (name, value) = (parts[0], parts[1])
            return (self.name(name), isForm ? fieldValue(value, named: name) : queryValue(value, named: name))
        }
    }

    /// Redacts the items of a form or a query. Works on bytes, because a combining mark changes the character of a preceding `=`.
    private func redact(_ items: Substring.UTF8View, isForm: Bool) -> String {
        items.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return item.isEmpty ? "" : Self.mark }
            let (name, value) = (Substring(item[..<equals]), Substring(item[item.index(after: equals)...]))
            let decodedName = PercentEncoding.decode(name, plusIsSpace: isForm)
            let decoded = PercentEncoding.decode(value, plusIsSpace: isForm)
            let shown = isForm ? fieldValue(decoded, named: decodedName) : queryValue(decoded, named: decodedName)
            let isNameShown = self.name(decodedName) == decodedName
            return "\(isNameShown ? name : Self.mark[...])=\(shown == decoded ? value : Self.mark[...])"
        }
        .joined(separator: "&")
    }
}

extension RedactionRules {
    /// Whether the decoded value of a form field may be shown.
    fileprivate func shows(_ value: String, ofField name: String) -> Bool {
        lastPart(of: name).map { role(of: $0).contains(.shown) } == true && !SecretScanner.holdsSecret(value, self)
    }

    /// Whether the decoded value of a query item may be shown: its name, or the last part of it, is harmless, and the value has the form that
    /// the name implies.
    fileprivate func shows(_ value: String, ofQueryItem name: String) -> Bool {
        if !role(of: name.utf8).contains(.shownInQuery) {
            guard let last = lastPart(of: name) else { return false }
            let isNumber = value.utf8.count <= 12 && value.utf8.allSatisfy { $0.isDigit || $0.isOne(of: "-.,") }
            let roles: FieldRole = isNumber ? [.shownInQuery, .shownInQueryIfNumber] : .shownInQuery
            if role(of: last).isDisjoint(with: roles) { return false }
        }
        return !SecretScanner.holdsSecret(value, self)
    }

    /// Returns the last part of a name such as `page[size]`, or nil if a part says that everything under it is secret.
    private func lastPart(of name: String) -> Substring.UTF8View? {
        let parts = name.utf8.split { "[].".utf8.contains($0) }
        return parts.contains { isSecret($0) } ? nil : parts.last
    }
}

extension Redactor {
    /// Returns the URL without user information, with secrets in the path, query values and the fragment replaced by the mark. Of a URL
    /// without an authority (`mailto:`, `data:`, `http:user@host`) only the scheme is shown.
    package func text(of url: URL) -> String { self.url(url.absoluteString) }

    /// Does the same for text that may be a URL.
    package func url(_ text: String) -> String {
        guard let rules else { return text }
        var text = text
        return text.withUTF8({ Self.isHarmless(url: $0, rules) }) ? text : redact(url: text, rules)
    }

    /// Does the same and returns a valid URL, with the mark percent-encoded.
    package func validURL(_ text: String) -> String {
        isEnabled ? url(text).replacingOccurrences(of: Self.mark, with: Self.encodedMark) : text
    }

    package static let encodedMark = PercentEncoding.encode(mark)

    /// Whether a URL has an authority and a path without any part that might be redacted, as most URLs in logs have.
    private static func isHarmless(url: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) -> Bool {
        let slash = UInt8(ascii: "/")
        guard !url.contains(where: { $0.isOne(of: "?#@;%") }), let colon = url.firstIndex(of: UInt8(ascii: ":")),
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

    /// Works on bytes instead of `URLComponents`, because an invalid URL must be redacted too.
    func redact(url: String, _ rules: RedactionRules) -> String {
        var (rest, end) = (url[...].utf8, "")
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            end = "#" + Self.mark
            rest = rest[..<hash]
        }
        if let question = rest.firstIndex(of: UInt8(ascii: "?")) {
            end = "?" + redact(rest[rest.index(after: question)...], isForm: false) + end
            rest = rest[..<question]
        }
        return Self.redact(hierarchy: rest, rules) + end
    }

    /// Redacts scheme, authority and path.
    private static func redact(hierarchy url: Substring.UTF8View, _ rules: RedactionRules) -> String {
        let slash = UInt8(ascii: "/")
        let schemeEnd = url.firstIndex { $0 == UInt8(ascii: ":") || $0 == slash }.flatMap {
            url[$0] == slash ? nil : url.index(after: $0)
        }
        let start = schemeEnd ?? url.startIndex
        guard url[start...].starts(with: "//".utf8) else {
            return schemeEnd == nil ? redact(path: url, rules) : String(Substring(url[..<start])) + mark
        }
        let authority = url.index(start, offsetBy: 2)
        let end = url[authority...].firstIndex(of: slash) ?? url.endIndex
        let host = url[authority..<end].lastIndex(of: UInt8(ascii: "@")).map { url.index(after: $0) } ?? authority
        return "\(Substring(url[..<authority]))\(Substring(url[host..<end]))\(redact(path: url[end...], rules))"
    }

    /// Redacts each segment that is a secret or follows one that announces it (`/password/…`), and the values of parameters (`;token=…`).
    private static func redact(path: Substring.UTF8View, _ rules: RedactionRules) -> String {
        var isAnnounced = false
        return path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
            guard !segment.isEmpty else { return "" }
            let parts = segment.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
                .map(Substring.init)
            var decoded = PercentEncoding.decode(parts[0])
            let isHidden =
                isAnnounced && !routeWords.contains(decoded) || decoded.withUTF8 { isSecret(segment: $0, rules) }
            isAnnounced = rules.isSecret(decoded.utf8)
            let parameters = parts.dropFirst().map { part in
                part.utf8.firstIndex(of: UInt8(ascii: "=")).map { ";\(part[..<$0])=\(mark)" } ?? ";" + mark
            }
            return "\(isHidden ? mark[...] : parts[0])\(parameters.joined())"
        }.joined(separator: "/")
    }

    private static func isSecret(segment: UnsafeBufferPointer<UInt8>, _ rules: RedactionRules) -> Bool {
        if rules.isStrict, segment.contains(where: \.isDigit) {
            return segment.count > 3 || segment.first != UInt8(ascii: "v")  // An API version identifies no person.
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
