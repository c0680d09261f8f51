import NetCore

/// What the rules read in the header fields of a stored response.
final class ParsedHead: Sendable {
    enum Expiry {
        case absent
        /// An invalid value, such as "0", lies in the past (RFC 9111, section 5.3).
        case invalid
        case at(Date)
    }

    let headers: HTTPHeaders
    let responseTime: Date
    let directives: ResponseDirectives
    /// See ``Variants/fields(of:)``.
    let vary: [String]?
    /// The time of the response if there is no valid `Date`.
    let date: Date
    /// Nil if there is no valid `Age`. The first member of a list counts (RFC 9111, section 5.1).
    let age: Int?
    let expires: Expiry
    /// Nil if there is no valid `Last-Modified`.
    let modified: Date?

    init(_ headers: HTTPHeaders, responseTime: Date) {
        self.headers = headers
        self.responseTime = responseTime
        func date(_ name: String) -> Date? { headers[name].flatMap { HTTPDate.parse($0, now: responseTime) } }
        directives = ResponseDirectives(headers)
        vary = Variants.fields(of: headers)
        self.date = date("Date") ?? responseTime
        age = headers["Age"].flatMap { CacheDirective.deltaSeconds($0.prefix { $0 != "," }.trimmingHTTPWhitespace) }
        if let first = headers.values(for: "Expires").first {
            expires = HTTPDate.parse(first, now: responseTime).map(Expiry.at) ?? .invalid
        } else {
            expires = .absent
        }
        modified = date("Last-Modified")
    }
}

extension HTTPCacheEntry {
    /// What the rules read in the header fields.
    var head: ParsedHead { keptHead ?? ParsedHead(headers, responseTime: responseTime) }

    /// See ``Variants/fields(of:)``. It does not read the other fields, since a key may have many variants.
    var vary: [String]? { keptHead.map(\.vary) ?? Variants.fields(of: headers) }

    /// The entry, which keeps ``head`` for later uses.
    var keepingHead: HTTPCacheEntry {
        var entry = self
        entry.kept.value = head
        return entry
    }

    /// Nil if there is none, or the entry has changed since.
    private var keptHead: ParsedHead? {
        guard let head = kept.value as? ParsedHead, head.responseTime == responseTime,
            head.headers.sharesStorage(with: headers)
        else { return nil }
        return head
    }
}
