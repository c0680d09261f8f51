import NetCore

/// What becomes of the header of a response in a cache.
enum StoredHeaders {
    /// Fields about one connection, or about one proxy (RFC 9111, section 3.1; RFC 9110, section 7.6.1).
    private static func isForOneHop(_ name: String) -> Bool {
        switch name {
        case "connection", "proxy-connection", "keep-alive", "te", "transfer-encoding", "upgrade", "proxy-authenticate",
            "proxy-authentication-info", "proxy-authorization":
            true
        default: false
        }
    }

    /// Fields that `Connection` must not name (RFC 9110, section 7.6.1), and on which it depends to whom the response is given.
    private static func isProtected(_ name: String) -> Bool {
        switch name {
        case "cache-control", "vary", "date", "age", "expires": true
        default: false
        }
    }

    /// What is stored of the header of a response: what is about the connection is left out, and `Date` is added where it is
    /// missing (RFC 9110, section 6.6.1).
    static func storable(
        _ headers: HTTPHeaders, directives: ResponseDirectives, rules: CacheRules, now: Date
    ) -> HTTPHeaders {
        var left = Set((headers["Connection"] ?? "").listMembers().map { String($0).asciiLowercased })
        if rules.isShared, case .fields(let names) = directives.isPrivate { left.formUnion(names) }
        var result = HTTPHeaders()
        for field in headers {
            let name = field.name.asciiLowercased
            if isForOneHop(name) || left.contains(name) && !isProtected(name) { continue }
            result.append(field)
        }
        if !result.contains(name: "Date") { result.append(name: "Date", value: HTTPDate.string(from: now)) }
        return result
    }

    /// The header of a stored response with that of a 304, or of an answer to HEAD, merged into it (RFC 9111, section 3.2): what is
    /// about the bytes of the stored body stays.
    static func merged(
        _ stored: HTTPHeaders, with new: HTTPHeaders, directives: ResponseDirectives, rules: CacheRules, now: Date
    ) -> HTTPHeaders {
        var fields = storable(new, directives: directives, rules: rules, now: now)
        for name in ["Content-Length", "Content-Encoding", "Content-Range"] { fields.remove(name: name) }
        var result = stored
        // It is as young as the new answer now.
        result.remove(name: "Age")
        result.add(contentsOf: fields)
        return result
    }

    /// What is given of it without asking the server: not the fields that `no-cache` names (RFC 9111, section 5.2.2.4).
    static func unvalidated(_ headers: HTTPHeaders, directives: ResponseDirectives) -> HTTPHeaders {
        guard case .fields(let names) = directives.noCache else { return headers }
        var result = headers
        result.remove(names: Set(names.map(\.asciiLowercased)))
        return result
    }
}
