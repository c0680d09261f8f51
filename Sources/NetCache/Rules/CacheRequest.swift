import NetCore

/// A request as the rules of a cache see it.
struct CacheRequest {
    let key: HTTPCacheKey
    let selecting: SelectingFields
    let isHead: Bool
    let directives: RequestDirectives
    /// The part of the body that is wanted, as it was asked for; nil for all of it.
    let rangeText: String?
    /// The same, if it is one part and in bytes.
    let range: ByteRange?
    let conditions: RequestConditions
    /// Whether only the server can answer, whatever is stored.
    let isForServer: Bool
    private let fields: [String: String]

    /// - Parameters:
    ///   - identity: whose request it is.
    ///   - prepared: the request as the client prepared it; nil outside of one.
    ///   - body: what stands in the key for the request's body; nil if it has none.
    ///   - isWithoutCookies: whether the identity leaves out cookies that the request has.
    /// - Returns: nil if there is no key for its URL.
    init?(
        _ request: URLRequest, identity: RequestIdentity, prepared: PreparedRequest?, body: String?, rules: CacheRules,
        owners: CacheOwners, isWithoutCookies: Bool = false
    ) {
        let fields = request.allHTTPHeaderFields ?? [:]
        guard let url = request.url, let address = CacheAddress(url, ignoringQueryItems: rules.ignoredQueryItems)
        else { return nil }
        self.fields = fields
        selecting = SelectingFields(
            fields: fields, identity: identity, prepared: prepared, isShared: rules.isShared,
            comparesCookies: isWithoutCookies, digest: owners.digest)
        var marks = [owners.text(of: rules.isShared ? identity.shared : identity)].filter { !$0.isEmpty }
        if let body { marks.append("body=" + body) }
        // The body of a response comes decoded, unless the request says itself which codings it takes.
        if fields.value(of: "Accept-Encoding") != nil { marks.append("coded") }
        key = HTTPCacheKey(url: address.text, owner: marks.joined(separator: "&"))
        isHead = request.httpMethod == "HEAD"
        directives = RequestDirectives(
            cacheControl: fields.value(of: "Cache-Control"), pragma: fields.value(of: "Pragma"),
            policy: request.cachePolicy)
        conditions = RequestConditions(fields)
        isForServer = conditions.isForServer
        // A Range is defined for GET alone (RFC 9110, section 14.2), and a malformed one is none.
        let text = isHead ? nil : fields.value(of: "Range")
        switch text.flatMap(ByteRange.Request.init) {
        case .one(let range):
            self.range = range
            rangeText = text
        case .other:
            range = nil
            rangeText = text
        case nil:
            range = nil
            rangeText = nil
        }
    }

    func value(of field: String) -> String? { fields.value(of: field) }
}
