import NetCore

/// Which requests a stored response answers, as its `Vary` says (RFC 9111, section 4.1).
enum Variants {
    /// The names in `Vary`, in lower case; nil for `*`, which matches nothing.
    static func fields(of headers: HTTPHeaders) -> [String]? {
        guard let value = headers["Vary"] else { return [] }
        var names: [String] = []
        for member in value.listMembers() {
            if member == "*" { return nil }
            let name = String(member).asciiLowercased
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The fields of a request that a response with these headers was chosen by, but for those that the identity stands for.
    static func selectingFields(for headers: HTTPHeaders, in request: CacheRequest) -> HTTPHeaders {
        HTTPHeaders(
            (fields(of: headers) ?? []).compactMap { name in
                guard !request.selecting.isInIdentity(name) else { return nil }
                return request.selecting.value(of: name).map { HTTPHeader(name: name, value: $0) }
            })
    }

    static func matches(_ entry: HTTPCacheEntry, _ request: CacheRequest) -> Bool {
        guard let names = fields(of: entry.headers) else { return false }
        return names.allSatisfy { name in
            request.selecting.isInIdentity(name)
                || areAlike(request.selecting.value(of: name), entry.requestHeaders[name], field: name)
        }
    }

    /// Whether two values mean the same: white space between the members of a list is nothing (section 4.1), nor is case where the
    /// field has none.
    static func areAlike(_ left: String?, _ right: String?, field: String) -> Bool {
        if left == right { return true }
        guard let left, let right else { return false }
        return normalized(left, field: field) == normalized(right, field: field)
    }

    private static func normalized(_ value: String, field: String) -> [String] {
        let members = value.listMembers().map(String.init)
        switch field {
        case "accept-language", "accept-encoding", "accept-charset":
            // They mean weights, whatever the order: that of languages "cannot be relied upon" (RFC 9110, section 12.5.4).
            return members.map(\.asciiLowercased).sorted()
        default:
            return members
        }
    }
}
