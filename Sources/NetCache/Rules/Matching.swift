import NetCore

/// Matches requests with stored responses by `Vary` (RFC 9111, section 4.1).
enum Variants {
    /// Returns the names in `Vary`, in lower case; nil for `*`, which matches no request.
    static func fields(of headers: HTTPHeaders) -> [String]? {
        guard let value = headers["Vary"] else { return [] }
        var names: [String] = []
        for name in value.listMembers().lazy.map({ String($0).asciiLowercased }) where !names.contains(name) {
            if name == "*" { return nil }
            names.append(name)
        }
        return names
    }

    /// Returns the request fields that selected a response with these headers, except the fields that the identity covers.
    static func selectingFields(for headers: HTTPHeaders, in request: CacheRequest) -> HTTPHeaders {
        HTTPHeaders(
            (fields(of: headers) ?? []).compactMap { name in
                guard !request.isInIdentity(name) else { return nil }
                return request.selectingValue(of: name).map { HTTPHeader(name: name, value: $0) }
            })
    }

    static func matches(_ entry: HTTPCacheEntry, _ request: CacheRequest) -> Bool {
        entry.vary?.allSatisfy { isEqual($0, entry, request) } ?? false
    }

    /// Returns the names of the fields in which a request differs from the stored variant that is closest to it.
    static func differences(of request: CacheRequest, from stored: [HTTPCacheEntry]) -> [String] {
        stored.compactMap { entry in entry.vary?.filter { !isEqual($0, entry, request) } }
            .min { $0.count < $1.count } ?? []
    }

    /// Whether the values are equivalent. White space between list members does not count (section 4.1), nor does case in fields that ignore it.
    private static func isEqual(_ name: String, _ entry: HTTPCacheEntry, _ request: CacheRequest) -> Bool {
        if request.isInIdentity(name) { return true }
        let (value, stored) = (request.selectingValue(of: name), entry.requestHeaders[name])
        guard value != stored, let value, let stored else { return value == stored }
        return normalized(value, field: name) == normalized(stored, field: name)
    }

    /// Returns the members of a value, so that equivalent values have equal lists.
    static func normalized(_ value: String, field: String) -> [String] {
        let members = value.listMembers().map(String.init)
        // The members have weights, so their order does not count. The order of languages "cannot be relied upon" (RFC 9110, section 12.5.4).
        return ["accept-language", "accept-encoding", "accept-charset"].contains(field)
            ? members.map(\.asciiLowercased).sorted() : members
    }
}

/// Asks the server whether a stored response is still valid (RFC 9111, section 4.3).
enum Validation {
    /// Adds the validators of a stored response to a request, beside the caller's own conditions. Returns whether any was added.
    static func addConditions(
        to request: inout URLRequest, for entry: HTTPCacheEntry, besides caller: RequestConditions
    ) -> Bool {
        var added: [String: String] = [:]
        let tag = EntityTag(entry.headers["ETag"])
        if let own = caller.ifNoneMatch {
            if let tag, case .tags(let tags) = EntityTag.Condition(own), !tags.contains(tag) {
                added["If-None-Match"] = own + ", " + tag.text
            }
        } else {
            added["If-None-Match"] = tag?.text
            if caller.ifModifiedSince == nil { added["If-Modified-Since"] = entry.headers["Last-Modified"] }
        }
        for (name, value) in added { request.setValue(value, forHTTPHeaderField: name) }
        return !added.isEmpty
    }

    /// The response that a 304 is about.
    enum Meaning {
        /// The stored response, which is valid.
        case stored
        /// The caller's own copy.
        case caller
        /// Unknown. Send the request again, without our validators.
        case unclear
    }

    /// - Parameter isAdded: whether the request had validators of the stored response.
    static func meaning(
        of headers: HTTPHeaders, for entry: HTTPCacheEntry, isAdded: Bool, caller: RequestConditions
    ) -> Meaning {
        let others: Meaning = isAdded ? .unclear : .caller
        if let tag = EntityTag(headers["ETag"]) {
            if let own = EntityTag(entry.headers["ETag"]) {
                if own.matchesWeakly(tag) { return .stored }
                let isCallers = caller.ifNoneMatch.map { EntityTag.Condition($0).contains(tag) } ?? false
                return isCallers ? .caller : others
            }
        } else if caller.ifNoneMatch != nil {
            // The caller sent a list of tags, and the 304 does not say which one matched.
            return others
        }
        if let modified = headers["Last-Modified"], let own = entry.headers["Last-Modified"] {
            return modified == own ? .stored : others
        }
        // The 304 names no validator, so it confirms the one that was sent.
        if caller.ifNoneMatch == nil, isAdded { return .stored }
        return caller.ifModifiedSince != nil && caller.ifModifiedSince == entry.headers["Last-Modified"]
            ? .stored : others
    }

    /// Whether the response to HEAD describes the same representation (RFC 9111, section 4.3.5).
    static func isSame(_ entry: HTTPCacheEntry, asHead headers: HTTPHeaders) -> Bool {
        ["ETag", "Last-Modified", "Content-Length"].allSatisfy {
            headers[$0] == nil || entry.headers[$0] == nil || headers[$0] == entry.headers[$0]
        }
    }
}

extension HTTPCacheEntry {
    /// Whether both have the same bytes, by their validators.
    func isSameRepresentation(as other: HTTPCacheEntry) -> Bool {
        switch (EntityTag(headers["ETag"]), EntityTag(other.headers["ETag"])) {
        case (let own?, let others?): own.matchesStrongly(others)
        case (nil, nil): headers["Last-Modified"] == other.headers["Last-Modified"]
        default: false
        }
    }
}
