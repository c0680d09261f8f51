import NetCore

/// Asking the server whether a stored response is still good (RFC 9111, section 4.3).
enum Validation {
    /// Adds the validators of a stored response to a request, beside the conditions that the caller has put there.
    ///
    /// - Returns: whether any was added.
    static func addConditions(
        to request: inout URLRequest, for entry: HTTPCacheEntry, besides caller: RequestConditions
    ) -> Bool {
        var isAdded = false
        if let tag = EntityTag(entry.headers["ETag"]) {
            if let own = caller.ifNoneMatch {
                let condition = EntityTag.Condition(own)
                if case .tags(let tags) = condition, !tags.contains(tag) {
                    request.setValue(own + ", " + tag.text, forHTTPHeaderField: "If-None-Match")
                    isAdded = true
                }
            } else {
                request.setValue(tag.text, forHTTPHeaderField: "If-None-Match")
                isAdded = true
            }
        }
        if caller.ifNoneMatch == nil, caller.ifModifiedSince == nil, let modified = entry.headers["Last-Modified"] {
            request.setValue(modified, forHTTPHeaderField: "If-Modified-Since")
            isAdded = true
        }
        return isAdded
    }

    /// What a 304 is about.
    enum Meaning {
        /// The stored response, which is good.
        case stored
        /// What the caller has.
        case caller
        /// Nobody knows: the request has to be sent without our validators.
        case unclear
    }

    /// - Parameter isAdded: whether validators of the stored response went with the request.
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
            // One tag of a list, and no word of which.
            return others
        }
        if let modified = headers["Last-Modified"], let own = entry.headers["Last-Modified"] {
            return modified == own ? .stored : others
        }
        // It names nothing: then it is what was asked for.
        if caller.ifNoneMatch == nil, isAdded { return .stored }
        return caller.ifModifiedSince != nil && caller.ifModifiedSince == entry.headers["Last-Modified"]
            ? .stored : others
    }

    /// Whether the answer to a HEAD is about the same representation (RFC 9111, section 4.3.5).
    static func isSame(_ entry: HTTPCacheEntry, asHead headers: HTTPHeaders) -> Bool {
        for name in ["ETag", "Last-Modified", "Content-Length"] {
            if let new = headers[name], let old = entry.headers[name], new != old { return false }
        }
        return true
    }
}
