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

/// What the fields of a request that `Vary` names are compared by (RFC 9111, section 4.1).
struct SelectingFields: Sendable {
    private let fields: [String: String]
    private let identity: RequestIdentity
    private let credentials: CredentialFields
    private let prepared: PreparedRequest?
    private let isShared: Bool
    /// Whether `Cookie` stands for cookies that a stored response did not know.
    private let comparesCookies: Bool
    private let digest: @Sendable (String) -> String

    init(
        fields: [String: String], identity: RequestIdentity, prepared: PreparedRequest?, isShared: Bool,
        comparesCookies: Bool = false, digest: @escaping @Sendable (String) -> String
    ) {
        self.fields = fields
        self.identity = identity
        self.prepared = prepared
        credentials = prepared?.fields ?? .standard
        self.isShared = isShared
        self.comparesCookies = comparesCookies
        self.digest = digest
    }

    /// Whether equal identities have equal values of the field, as far as a response goes: a refreshed token of a named owner is the
    /// same credential.
    func isInIdentity(_ name: String) -> Bool {
        guard credentials.isCredential(name), !isShared else { return false }
        if comparesCookies, name == "cookie" { return false }
        guard identity.name != nil, !CredentialFields.isStandardCredential(name) else {
            return true
        }
        // A name stands for what was added to the request, not for what the caller selects by a field of his own.
        return prepared.map { !$0.isCallers(name) && fields.value(of: name) != nil } ?? false
    }

    /// The names of credentials that were added to the request further in by nothing that says whose they are: then the response must not
    /// be stored. None for a named owner, since the name wins, and for a shared cache, which goes by the response.
    func hiddenCredentials(of response: TransportResponse, to request: URLRequest) -> [String] {
        isShared || identity.name != nil ? [] : response.unownedAdditions(to: request)
    }

    /// Those of the fields in `Vary` that were added to the request further in: they cannot be seen when the next request comes by.
    func additions(of response: TransportResponse, to request: URLRequest, among names: [String]) -> [String] {
        guard !names.isEmpty else { return [] }
        return response.unownedAdditions(to: request, selecting: names).filter {
            names.contains($0) && (identity.name == nil || !isInIdentity($0))
        }
    }

    /// The value that is compared and stored: of a field that may be secret, a keyed digest.
    func value(of name: String) -> String? {
        guard let value = fields.value(of: name) else { return nil }
        return credentials.isCredential(name) ? digest(value) : value
    }
}

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
