/// A media type (RFC 9110, section 8.3.1) or a media range (section 12.5.1), without its parameters.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// In lower case; `*` for any.
    package let type: String
    /// In lower case; `*` for any.
    package let subtype: String

    /// Reads the value of a `Content-Type` field, or an element of an `Accept` field. Parameters are left out; nil if it is neither.
    package init?(_ text: String) {
        let essence = String(text.prefix { $0 != ";" }).trimmingHTTPWhitespace
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false).map { String($0).asciiLowercased }
        guard parts.count == 2, parts.allSatisfy(\.isHTTPToken), parts[0] != "*" || parts[1] == "*" else { return nil }
        type = parts[0]
        subtype = parts[1]
    }

    /// Whether this type is one of those that the range names: `text/html` is in `text/html`, `text/*` and `*/*`.
    package func isIn(_ range: MediaType) -> Bool {
        range.type == "*" || range.type == type && (range.subtype == "*" || range.subtype == subtype)
    }

    package var description: String { "\(type)/\(subtype)" }
}
