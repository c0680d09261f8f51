import NetCore

/// The URL under which ``CachePolicyInterceptor`` stores a response: the address, with the marks of owner and variant in the
/// fragment, which servers never see.
struct CacheKey: Hashable {
    /// The key of the response, or of all its variants together.
    let url: URL

    private let base: String
    private let marks: [String]

    /// Nil for a URL without an authority.
    ///
    /// - Parameters:
    ///   - owner: the text that stands for the identity; empty for an anonymous one.
    ///   - body: the text that stands for the request's body; nil if it has none.
    init?(url: URL, owner: String, body: String? = nil) {
        guard let address = CacheAddress(url) else { return nil }
        let owner = owner.isEmpty ? [] : ["owner=" + owner.filter { $0 != "#" }]
        self.init(base: address.text, marks: owner + (body.map { ["body=" + $0] } ?? []))
    }

    private init?(base: String, marks: [String]) {
        guard let url = URL(string: marks.isEmpty ? base : base + "#" + marks.joined(separator: "&")) else {
            return nil
        }
        self.url = url
        self.base = base
        self.marks = marks
    }

    /// The key of the list of fields by which the response varies.
    var variantIndex: CacheKey? { adding("vary") }

    /// The key of the list of keys with responses to the URL, of all owners.
    var urlIndex: URL? { URL(string: base + "#index") }

    /// The key of the variant that these values of the request's header fields select.
    func variant(_ digest: String) -> CacheKey? { adding("variant=" + digest) }

    private func adding(_ mark: String) -> CacheKey? {
        CacheKey(base: base, marks: marks + [mark])
    }
}

/// One request with a policy on its way through the cache.
struct PolicyCall {
    let key: CacheKey
    /// The normalised URL, for invalidations.
    let address: String
    let selecting: SelectingFields
    private let identity: RequestIdentity
    private let request: URLRequest

    private let body: String?
    private let prepared: PreparedRequest?

    /// Nil for a request without a key: its owner, or the key of the store, is unknown.
    init?(_ request: URLRequest, _ context: RequestContext, body: String?, _ store: StoreOwners) {
        self.init(
            request, context.identity(of: request), context.prepared, body: body, store,
            // Without a cookie, `Vary: Cookie` still counts for later requests with one.
            comparesCookies: request.value(forHTTPHeaderField: "Cookie") == nil)
    }

    private init?(
        _ request: URLRequest, _ identity: RequestIdentity, _ prepared: PreparedRequest?, body: String?,
        _ store: StoreOwners, comparesCookies: Bool
    ) {
        guard !identity.isUnknown, let owners = store.owners(), let url = request.url,
            let address = CacheAddress(url)?.text,
            let key = CacheKey(url: url, owner: owners.text(of: identity), body: body)
        else { return nil }
        self.key = key
        self.address = address
        self.identity = identity
        self.request = request
        self.body = body
        self.prepared = prepared
        selecting = SelectingFields(
            fields: request.allHTTPHeaderFields ?? [:], identity: identity, prepared: prepared,
            isShared: false, comparesCookies: comparesCookies, owners: owners)
    }

    /// The call without the cookies that the site has set since; nil if a cookie identifies the user.
    func beforeCookies(_ store: StoreOwners) -> PolicyCall? {
        identity.beforeCookies.flatMap {
            PolicyCall(request, $0, prepared, body: body, store, comparesCookies: true)
        }
    }

    /// The call as it was sent; nil if its response may be another user's and must not be stored.
    func sent(
        as response: TransportResponse, _ context: RequestContext, body: String?, _ store: StoreOwners
    ) -> PolicyCall? {
        guard selecting.hiddenCredentials(of: response, to: request).isEmpty else { return nil }
        guard let prepared = response.prepared, let own = context.prepared, prepared !== own else { return self }
        var context = context
        context.prepared = prepared
        return PolicyCall(prepared.request, context, body: body, store)
    }

    /// See ``SelectingFields/additions(of:to:among:)``.
    func additions(of response: TransportResponse, among names: [String]) -> [String] {
        selecting.additions(of: response, to: request, among: names)
    }

    /// Returns the key of the variant that the values of these fields select.
    func variant(of names: [String]) -> CacheKey? {
        key.variant(cacheDigest(of: names.map { ($0, selecting.value(of: $0) ?? "") }))
    }
}
