/// The one place that decides what may be shown: error descriptions, snapshots, logs and cURL lines all ask it.
///
/// It denies by default. A header is shown only if it is known to carry no secret, a query value never is, and user
/// information is cut from URLs. NetLogging builds its configurable redaction on this same type.
package struct Redactor: Sendable {
    /// What stands where something was left out.
    package static let mark = "[REDACTED]"

    /// The default: everything that is not known to be harmless is left out.
    package static let standard = Redactor(isEnabled: true)
    /// Shows everything. For debugging only.
    package static let none = Redactor(isEnabled: false)

    private let isEnabled: Bool

    /// The value of a header, or the mark.
    package func headerValue(_ value: String, named name: String) -> String {
        !isEnabled || Self.isHarmless(headerNamed: name) ? value : Self.mark
    }

    /// Whether a header is known to carry no secret.
    package static func isHarmless(headerNamed name: String) -> Bool {
        harmlessHeaders.contains(name.asciiLowercased)
    }

    /// The URL with user information cut out, and each query value and the fragment replaced by the mark. Of a URL without
    /// an authority (`mailto:`, `data:`, `http:user@host`) only the scheme is left.
    package func text(of url: URL) -> String {
        let whole = url.absoluteString
        return isEnabled ? Self.redact(url: whole) : whole
    }

    /// Works on text, not on `URLComponents`: what could not be parsed must not be shown whole either.
    private static func redact(url: String) -> String {
        var rest = Substring(url)
        var fragment = ""
        if let hash = rest.firstIndex(of: "#") {
            fragment = "#" + mark
            rest = rest[..<hash]
        }
        var query = ""
        if let question = rest.firstIndex(of: "?") {
            let items = rest[rest.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false)
            query = "?" + items.map(redact(queryItem:)).joined(separator: "&")
            rest = rest[..<question]
        }
        return redact(authorityOf: rest) + query + fragment
    }

    private static func redact(queryItem item: Substring) -> String {
        guard let equals = item.firstIndex(of: "=") else { return item.isEmpty ? "" : mark }
        return "\(item[..<equals])=\(mark)"
    }

    private static func redact(authorityOf url: Substring) -> String {
        let schemeEnd = url.firstIndex { $0 == ":" || $0 == "/" }.flatMap {
            url[$0] == ":" ? url.index(after: $0) : nil
        }
        let start = schemeEnd ?? url.startIndex
        guard url[start...].hasPrefix("//") else {
            return schemeEnd == nil ? String(url) : url[..<start] + mark
        }
        let authority = url.index(start, offsetBy: 2)
        let end = url[authority...].firstIndex(of: "/") ?? url.endIndex
        guard let at = url[authority..<end].lastIndex(of: "@") else { return String(url) }
        return "\(url[..<authority])\(url[url.index(after: at)...])"
    }

    /// Headers whose values say nothing about who is asking.
    private static let harmlessHeaders: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
        "cache-control", "cache-status", "connection", "content-disposition", "content-encoding", "content-language",
        "content-length", "content-range", "content-type", "date", "expect", "expires", "host", "if-modified-since",
        "if-unmodified-since", "keep-alive", "last-modified", "pragma", "range", "retry-after", "server", "te",
        "trailer",
        "transfer-encoding", "upgrade", "user-agent", "vary", "via", "warning", "x-request-id", "traceparent",
    ]
}
