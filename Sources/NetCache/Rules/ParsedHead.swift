import NetCore

/// The header fields of a stored response that the rules read, parsed once.
final class ParsedHead: Sendable {
    let headers: HTTPHeaders
    let responseTime: Date
    let directives: ResponseDirectives
    /// The names in `Vary`: see ``Variants/fields(of:)``.
    let vary: [String]?
    /// The time in `Date`, or the time when the response arrived if the field is missing or invalid.
    let date: Date
    /// The value of `Age` in seconds, or nil if it is missing or invalid. The first member of a list counts (RFC 9111, section 5.1).
    let age: Int?
    /// The time in `Expires`, or nil if it is missing. An invalid value, such as "0", has expired at ``date`` (RFC 9111, section 5.3).
    let expires: Date?
    /// The time in `Last-Modified`, or nil if it is missing or invalid.
    let modified: Date?

    init(_ headers: HTTPHeaders, responseTime: Date) {
        self.headers = headers
        self.responseTime = responseTime
        func date(_ name: String) -> Date? { headers[name].flatMap { HTTPDate.parse($0, now: responseTime) } }
        directives = ResponseDirectives(headers)
        vary = Variants.fields(of: headers)
        let sent = date("Date") ?? responseTime
        self.date = sent
        age = headers["Age"].flatMap { CacheDirective.deltaSeconds($0.prefix { $0 != "," }.trimmingHTTPWhitespace) }
        expires = headers.values(for: "Expires").first.map { HTTPDate.parse($0, now: responseTime) ?? sent }
        modified = date("Last-Modified")
    }
}

extension HTTPCacheEntry {
    /// The header fields that the rules read, parsed now or kept by ``keepingHead``.
    var head: ParsedHead { keptHead ?? ParsedHead(headers, responseTime: responseTime) }

    /// The names in `Vary`: see ``Variants/fields(of:)``. It does not parse the other fields, since a key may have many variants.
    var vary: [String]? { keptHead.map(\.vary) ?? Variants.fields(of: headers) }

    /// A copy of the entry that keeps ``head`` for later uses.
    var keepingHead: HTTPCacheEntry {
        var entry = self
        entry.kept.value = head
        return entry
    }

    /// The kept ``head``, or nil if there is none or the entry has changed since.
    private var keptHead: ParsedHead? {
        guard let head = kept.value as? ParsedHead, head.responseTime == responseTime,
            haveSameStorage(head.headers, headers)
        else { return nil }
        return head
    }
}
