import NetCore

/// A request as the rules of a cache see it. It is a class, since it has many parts and each step of a call holds it.
final class CacheRequest: Sendable {
    let urlRequest: URLRequest
    let identity: RequestIdentity
    let key: HTTPCacheKey
    let isHead: Bool
    let directives: RequestDirectives
    /// The `Range` field; nil for the whole body.
    let rangeText: String?
    /// The range, if it is one part and in bytes.
    let range: ByteRange?
    let conditions: RequestConditions
    private let fields: [String: String]
    private let prepared: PreparedRequest?
    private let isShared: Bool
    private let owners: CacheOwners

    /// - Parameters:
    ///   - identity: the owner of the request.
    ///   - prepared: the request as the client prepared it; nil outside of a client.
    ///   - body: the text that stands for the request's body in the key; nil if it has none.
    /// - Returns: nil if there is no key for the URL.
    init?(
        _ request: URLRequest, identity: RequestIdentity, prepared: PreparedRequest?, body: String?,
        rules: CacheRules,
        owners: CacheOwners
    ) {
        guard let url = request.url, let address = CacheAddress(url, ignoringQueryItems: rules.ignoredQueryItems)
        else { return nil }
        urlRequest = request
        fields = request.allHTTPHeaderFields ?? [:]
        self.identity = identity
        self.prepared = prepared
        isShared = rules.isShared
        self.owners = owners
        isHead = request.httpMethod == "HEAD"

        var conditions = RequestConditions()
        var hasCodings = false
        var cacheControl: String?
        var pragma: String?
        var rangeText: String?
        for (name, value) in fields {
            switch name.asciiLowercased {
            case "accept-encoding": hasCodings = true
            case "cache-control": cacheControl = value
            case "pragma": pragma = value
            case "range": rangeText = value
            case "if-none-match": conditions.ifNoneMatch = value
            case "if-modified-since": conditions.ifModifiedSince = value
            case "if-range": conditions.ifRange = value
            case "if-match", "if-unmodified-since": conditions.requiresServer = true
            default: break
            }
        }
        // Only a server knows what conditions and ranges mean for another method (RFC 9110, sections 13.1 and 14.2).
        let isGet = (request.httpMethod ?? "GET") == "GET"
        if !isGet, !isHead, conditions != RequestConditions() { conditions.requiresServer = true }
        self.conditions = conditions
        directives = RequestDirectives(cacheControl: cacheControl, pragma: pragma, policy: request.cachePolicy)
        var owner = owners.text(of: isShared ? identity.shared : identity)
        if let body { owner += "&body=" + body }
        // The body of a response is decoded, unless the request names codings itself.
        if hasCodings { owner += "&coded" }
        key = HTTPCacheKey(url: address.text, owner: owner)
        // Range is defined for GET only (RFC 9110, section 14.2). A malformed one is ignored.
        let parsed = isGet ? rangeText.flatMap(ByteRange.Request.init) : nil
        self.rangeText = parsed == nil ? nil : rangeText
        range = if case .one(let range) = parsed { range } else { nil }
    }

    func value(of field: String) -> String? { fields.value(of: field) }
}

// The values by which the request fields in `Vary` are compared (RFC 9111, section 4.1).
extension CacheRequest {
    /// Whether equal identities imply equal values of the field. A refreshed token of a named owner is the same credential.
    func isInIdentity(_ name: String) -> Bool {
        guard !isShared, prepared?.identifies(name) ?? IdentifyingFields.standard.contains(name) else { return false }
        if name == "cookie", !identity.coversCookies { return false }
        guard identity.name != nil, !CredentialFields.isStandardCredential(name) else { return true }
        guard let prepared, value(of: name) != nil else { return false }
        // A name covers what the client added to the request, not a field that the caller set and preparation did not change.
        let value = prepared.request.value(forHTTPHeaderField: name)
        return value == nil || prepared.unprepared.value(forHTTPHeaderField: name) != value
    }

    /// Returns the names of credentials that were added behind the cache by an interceptor that does not name their owner. The
    /// response must not be stored then. Empty for a named owner, and for a shared cache, which follows the response.
    func hiddenCredentials(of response: TransportResponse) -> [String] {
        isShared || identity.name != nil ? [] : response.unownedAdditions(to: urlRequest)
    }

    /// Returns the names of fields in `Vary` that were added behind the cache. The cache does not see them in the next request.
    func additions(of response: TransportResponse, among names: [String]) -> [String] {
        guard !names.isEmpty else { return [] }
        return response.unownedAdditions(to: urlRequest, selecting: names).filter {
            names.contains($0) && (identity.name == nil || !isInIdentity($0))
        }
    }

    /// Returns the value to compare and to store: a keyed digest for a field that may be secret.
    func selectingValue(of name: String) -> String? {
        guard let value = value(of: name) else { return nil }
        guard CredentialFields.standard.isCredential(name) else { return value }
        return owners.digest(of: Variants.normalized(value, field: name).joined(separator: ","))
    }
}

/// A part of a body, as in `Range: bytes=…` (RFC 9110, section 14.1.2).
package enum ByteRange: Equatable {
    /// From the first position through the last one, or to the end if that is nil.
    case from(Int64, through: Int64?)
    /// A number of bytes at the end.
    case suffix(Int64)

    /// Returns the range in a body of that length, or nil if it lies outside.
    package func resolved(length: Int64) -> Range<Int64>? {
        switch self {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<(Swift.min(last ?? .max, length - 1) + 1)
        case .suffix(let count):
            guard count > 0, length > 0 else { return nil }
            return Swift.max(0, length - count)..<length
        }
    }

    enum Request: Equatable {
        case one(ByteRange)
        /// Several parts, or a unit other than bytes. The server answers such a request.
        case other

        /// Nil for a malformed value, which is ignored (section 14.2).
        init?(_ value: String) {
            guard let equals = value.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let unit = String(value[..<equals])
            guard unit.isHTTPToken else { return nil }
            let members = String(value[value.utf8.index(after: equals)...]).listMembers()
            guard unit.equalsIgnoringASCIICase("bytes") else {
                self = .other
                return
            }
            let ranges = members.compactMap(ByteRange.init)
            guard let first = ranges.first, ranges.count == members.count else { return nil }
            self = ranges.count == 1 ? .one(first) : .other
        }
    }

    /// Nil if the member of a `Range` field is malformed. A number above `Int64.max` becomes `Int64.max`.
    package init?(_ member: Substring) {
        guard let hyphen = member.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let left = member[..<hyphen]
        let right = member[member.utf8.index(after: hyphen)...]
        switch (ContentRange.position(left), ContentRange.position(right)) {
        case (nil, let last?) where left.isEmpty: self = .suffix(last)
        case (let first?, let last?) where first <= last: self = .from(first, through: last)
        case (let first?, nil) where right.isEmpty: self = .from(first, through: nil)
        default: return nil
        }
    }
}

/// The conditions in a request that a cache can answer (RFC 9111, section 4.3.2).
struct RequestConditions: Equatable {
    var ifNoneMatch: String?
    var ifModifiedSince: String?
    var ifRange: String?
    /// Whether there are conditions for the server only: `If-Match`, `If-Unmodified-Since`.
    var requiresServer = false

    /// Whether the caller already has the stored response, and gets a 304.
    func isSatisfied(by entry: HTTPCacheEntry) -> Bool {
        if let ifNoneMatch {
            let condition = EntityTag.Condition(ifNoneMatch)
            return condition == .any || EntityTag(entry.headers["ETag"]).map(condition.contains) == true
        }
        let (date, head) = (ifModifiedSince.flatMap { HTTPDate.parse($0, now: entry.responseTime) }, entry.head)
        return date.map { head.modified ?? head.date <= $0 } ?? false
    }

    /// Whether a part of this response may answer the range (RFC 9110, section 13.1.5). Otherwise the whole response does.
    func allowRange(of entry: HTTPCacheEntry) -> Bool {
        guard let ifRange else { return true }
        if let date = HTTPDate.parse(ifRange, now: entry.responseTime) { return entry.head.modified == date }
        guard let wanted = EntityTag(ifRange), let tag = EntityTag(entry.headers["ETag"]) else { return false }
        return wanted.matchesStrongly(tag)
    }
}

/// The part of a cache key that stands for the body of a request.
struct BodyKey {
    private let method: HTTPMethod
    private let type: String
    /// Nil for a GET without a body.
    private let data: Data?
    private let json: CanonicalJSON?

    /// - Parameter methodsKeyedByBody: methods whose requests differ by their bodies.
    /// - Returns: nil if the request cannot be cached: it has another method, or a body that is not in memory.
    init?(_ request: URLRequest, body: HTTPBody?, methodsKeyedByBody: Set<HTTPMethod>) {
        method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        let isEmpty = body == nil || body?.length == 0
        if isEmpty, method == .get || method == .head {
            (data, json) = (nil, nil)
            return
        }
        guard methodsKeyedByBody.contains(method), let data = isEmpty ? Data() : body?.data else { return nil }
        self.data = data
        json = CanonicalJSON(data, type: type)
    }

    /// Hashes the body. Nil for a GET without a body.
    var text: String? {
        guard let data else { return nil }
        let (kind, digest) = json.map { ("json", SHA256.hex($0.bytes)) } ?? ("body", SHA256.hex(data))
        // A length precedes each part, so that different lists differ.
        let text = "4:type\(type.utf8.count):\(type)4:\(kind)\(digest.utf8.count):\(digest)"
        return method.rawValue + SHA256.hex(Data(text.utf8))
    }

    var isMutation: Bool { json?.isGraphQLMutation == true }
}
