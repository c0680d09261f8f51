import NetCore

/// A request as the rules of a cache see it.
struct CacheRequest {
    let key: HTTPCacheKey
    /// A digest of the credentials that the request shows; nil if it shows none.
    let credentials: String?
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
    private let partition: String?
    private let body: String?

    /// - Parameter body: what stands in the key for the request's body; nil if it has none.
    /// - Returns: nil if there is no key for its URL.
    init?(_ request: URLRequest, partition: String?, body: String?, rules: CacheRules) {
        let fields = request.allHTTPHeaderFields ?? [:]
        guard let url = request.url, let owner = CacheOwner(url: url, fields: fields, partition: partition) else {
            return nil
        }
        self.fields = fields
        self.partition = partition
        self.body = body
        credentials = owner.credentials
        key = HTTPCacheKey(url: owner.address, owner: owner.text(isShared: rules.isShared, body: body, fields: fields))
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

    /// The same for another request by the same caller, with the same body.
    func replacing(_ request: URLRequest, rules: CacheRules) -> CacheRequest? {
        CacheRequest(request, partition: partition, body: body, rules: rules)
    }
}

extension [String: String] {
    /// The value of a field, whatever the case of its name. Foundation keeps the names of a request as they were given.
    func value(of name: String) -> String? {
        if let value = self[name] { return value }
        for (key, value) in self where key.equalsIgnoringASCIICase(name) { return value }
        return nil
    }
}
