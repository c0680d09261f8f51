import NetCore

/// The conditions in a request that a cache can answer (RFC 9111, section 4.3.2).
struct RequestConditions: Equatable {
    let ifNoneMatch: String?
    let ifModifiedSince: String?
    let ifRange: String?
    /// Whether there are conditions that only the server may look at: `If-Match`, `If-Unmodified-Since`.
    let isForServer: Bool

    init(_ fields: [String: String]) {
        // Most requests have none, and this is asked of each.
        var ifNoneMatch: String?
        var ifModifiedSince: String?
        var ifRange: String?
        var isForServer = false
        for (name, value) in fields where name.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "i") {
            switch name.asciiLowercased {
            case "if-none-match": ifNoneMatch = value
            case "if-modified-since": ifModifiedSince = value
            case "if-range": ifRange = value
            case "if-match", "if-unmodified-since": isForServer = true
            default: break
            }
        }
        self.ifNoneMatch = ifNoneMatch
        self.ifModifiedSince = ifModifiedSince
        self.ifRange = ifRange
        self.isForServer = isForServer
    }

    /// Whether the caller has what is stored already, and gets a 304.
    func isSatisfied(by entry: HTTPCacheEntry) -> Bool {
        if let ifNoneMatch {
            let condition = EntityTag.Condition(ifNoneMatch)
            return condition == .any || EntityTag(entry.headers["ETag"]).map(condition.contains) == true
        }
        guard let ifModifiedSince, let date = HTTPDate.parse(ifModifiedSince, now: entry.responseTime) else {
            return false
        }
        func stored(_ name: String) -> Date? {
            entry.headers[name].flatMap { HTTPDate.parse($0, now: entry.responseTime) }
        }
        return stored("Last-Modified") ?? stored("Date") ?? entry.responseTime <= date
    }

    /// Whether the part that is asked for may be given of this response (RFC 9110, section 13.1.5). Otherwise it is the whole.
    func allowRange(of entry: HTTPCacheEntry) -> Bool {
        guard let ifRange else { return true }
        if let date = HTTPDate.parse(ifRange, now: entry.responseTime) {
            guard let modified = entry.headers["Last-Modified"] else { return false }
            return HTTPDate.parse(modified, now: entry.responseTime) == date
        }
        guard let wanted = EntityTag(ifRange), let tag = EntityTag(entry.headers["ETag"]) else { return false }
        return wanted.matchesStrongly(tag)
    }
}
