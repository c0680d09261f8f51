public import NetCore

/// Follows the ``CachePolicy`` of a request: looks into the cache first, sends the request on a miss, and stores the response. Requests without a policy pass untouched.
///
/// Only plain GET requests take part, and methods that are named to the initialiser: one with a body, a `Range`, a condition (`If-…`) or an `Accept-Encoding` of its own
/// goes to the server, and its response is not stored. Stored are responses with status 200 that the caller collects; what
/// is read as a stream is passed through. `no-store` in the request or the response wins over the policy, and `no-cache` in
/// the request sends it to the server.
///
/// **What a hit has.** A ``ResponseCaching`` keeps bodies only, so a hit is a 200 with two header fields, `Content-Length`
/// and `Cache-Status: Networking; hit` (RFC 9211). Decoding does not miss the others: text in another charset than UTF-8
/// would be read wrongly without its `Content-Type`, and is not stored.
///
/// **Whose response.** The key is the request's URL. Its fragment holds what stands for ``RequestContext/identity``, so that one user's
/// response never reaches another. A response is not stored if the identity is unknown, or if an interceptor further in added
/// credentials and does not say whose they are (``CredentialOwner``); name the partition to have it stored.
///
/// **Variants.** A response with a `Vary` field answers only requests with the same values in the fields named there.
///
/// A successful response to an unsafe method, such as PUT, removes what is stored for its URL, of all owners. A response to a request that
/// was sent before, by this process, is not stored any more.
public struct CachePolicyInterceptor: HTTPCaching {
    /// Where bodies are kept.
    public let cache: any ResponseCaching
    private let methodsKeyedByBody: Set<HTTPMethod>
    private let owners: StoreOwners
    private let log = InvalidationLog()

    /// An interceptor over a cache, such as a ``NetworkCache``.
    ///
    /// - Parameters:
    ///   - cache: where bodies are kept.
    ///   - methodsKeyedByBody: methods that take part besides GET, each request told from others by method, body and
    ///     `Content-Type`: POST for a GraphQL service, for instance. A GET with a body takes part too if it is in here. Only bodies in
    ///     memory; none unless given.
    public init(cache: any ResponseCaching, methodsKeyedByBody: Set<HTTPMethod> = []) {
        self.cache = cache
        self.methodsKeyedByBody = methodsKeyedByBody
        owners = StoreOwners { try cache.identityKey() }
    }

    /// Answers from the cache, or sends the request on and stores the response, as the policy says.
    ///
    /// - Throws: what `next` throws, and where it stores, ``NetworkError/responseTooLarge(limit:)`` for a body over the limit
    ///   of the call.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let policy = next.context.cachePolicy, Self.asksForTheResource(request),
            let body = BodyKey(request, body: next.body, methodsKeyedByBody: methodsKeyedByBody),
            let call = PolicyCall(request, next.context, body: body.text, owners)
        else { return try await pass(request, next: next) }

        let directives = request.value(forHTTPHeaderField: "Cache-Control") ?? ""
        if policy.useCache, !Self.has("no-cache", in: directives), let data = stored(for: call) {
            return Self.hit(data, url: request.url)
        }
        let permit = log.begin(call.address)
        var response = try await next(request)
        guard policy.storeCache, case .collected(let limit) = next.context.delivery,
            !Self.has("no-store", in: directives), Self.isStorable(response),
            let sent = call.sent(as: response, next.context, body: body.text, owners),
            let place = Place(for: response, sent)
        else { return response }

        let data = try await response.body.collect(upTo: limit)
        response.body = HTTPBody(data)
        if permit.isValid, response.wire?.hasSurplus != true {
            store(data, at: place, sent, until: policy.expireTime)
            // Invalidated while it was being stored.
            if !permit.isValid, let url = request.url { remove(url) }
        }
        return response
    }

    /// Drops what is stored for the request's URL, of all owners.
    public func invalidate(for request: URLRequest) async {
        if let url = request.url { invalidate(url) }
    }

    /// Drops all that is stored.
    public func invalidateAll() async {
        log.invalidateAll()
        cache.clear()
    }

    private func pass(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let response = try await next(request)
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        if !method.isSafe, !methodsKeyedByBody.contains(method), (200..<400).contains(response.status),
            let url = request.url
        {
            invalidate(url)
        }
        return response
    }

    private func invalidate(_ url: URL) {
        if let address = CacheAddress(url)?.text { log.invalidate(address) }
        remove(url)
    }

    private func remove(_ url: URL) {
        guard let key = CacheKey(url: url, owner: ""), let index = key.urlIndex else { return }
        cache.setResponse(Data(), for: key.url, expireTime: .distantPast)
        guard let list = cache.getResponse(for: index) else { return }
        for key in String(decoding: list, as: UTF8.self).split(separator: "\n") {
            if let url = URL(string: String(key)) { cache.setResponse(Data(), for: url, expireTime: .distantPast) }
        }
        cache.setResponse(Data(), for: index, expireTime: .distantPast)
    }

    private func stored(for call: PolicyCall) -> Data? {
        if let data = data(for: call) { return data }
        // What was stored before the site set its first cookie, if that cookie tells no users apart.
        return call.beforeCookies(owners).flatMap { data(for: $0) }
    }

    private func data(for call: PolicyCall) -> Data? {
        if let data = cache.getResponse(for: call.key.url) { return data }
        guard let index = call.key.variantIndex, let fields = cache.getResponse(for: index.url) else { return nil }
        let names = String(decoding: fields, as: UTF8.self).split(separator: ",").map(String.init)
        return call.variant(of: names).flatMap { cache.getResponse(for: $0.url) }
    }

    private func store(_ data: Data, at place: Place, _ call: PolicyCall, until end: Date?) {
        switch place {
        case .plain:
            cache.setResponse(data, for: call.key.url, expireTime: end)
            note([call.key.url], of: call.key)
        case .variant(let fields):
            guard let index = call.key.variantIndex, let variant = call.variant(of: fields) else { return }
            // One stored while the server did not say that it varies would hide all variants.
            cache.setResponse(Data(), for: call.key.url, expireTime: .distantPast)
            cache.setResponse(Data(fields.joined(separator: ",").utf8), for: index.url, expireTime: end)
            cache.setResponse(data, for: variant.url, expireTime: end)
            note([index.url, variant.url], of: call.key)
        }
    }

    /// Notes under which keys there is something for the URL, so that an invalidation finds it whosever it is. The URL itself needs no
    /// note.
    private func note(_ keys: [URL], of key: CacheKey) {
        let keys = keys.filter { $0.fragment != nil }
        guard !keys.isEmpty, let index = key.urlIndex else { return }
        var known = cache.getResponse(for: index).map { String(decoding: $0, as: UTF8.self) } ?? ""
        var lines = Set(known.split(separator: "\n").map(String.init))
        let new = keys.map(\.absoluteString).filter { lines.insert($0).inserted }
        guard !new.isEmpty else { return }
        if !known.isEmpty { known += "\n" }
        cache.setResponse(Data((known + new.joined(separator: "\n")).utf8), for: index, expireTime: nil)
    }

    private static func hit(_ data: Data, url: URL?) -> TransportResponse {
        let headers: HTTPHeaders = ["Content-Length": "\(data.count)", "Cache-Status": "Networking; hit"]
        return TransportResponse(status: 200, headers: headers, url: url, body: HTTPBody(data))
    }
}

extension CachePolicyInterceptor {
    /// Where in the cache a response belongs.
    private enum Place {
        case plain
        case variant(fields: [String])

        /// Nil if it must not be stored: it is never the same (`Vary: *`), or depends on what was added further in.
        init?(for response: TransportResponse, _ call: PolicyCall) {
            guard let names = Variants.fields(of: response.headers),
                call.additions(of: response, among: names).isEmpty
            else { return nil }
            // The body is stored decoded, and the request asked for no coding of its own.
            let others = names.filter { $0 != "accept-encoding" && !call.selecting.isInIdentity($0) }.sorted()
            self = others.isEmpty ? .plain : .variant(fields: others)
        }
    }

    private static func asksForTheResource(_ request: URLRequest) -> Bool {
        guard request.httpMethod != "HEAD" else { return false }
        return !(request.allHTTPHeaderFields ?? [:]).keys.contains { Self.excludingHeaders.contains($0.lowercased()) }
    }

    /// Fields of a request whose answer is not simply "the resource".
    private static let excludingHeaders: Set<String> = [
        "range", "accept-encoding", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]

    fileprivate static func isStorable(_ response: TransportResponse) -> Bool {
        guard response.status == 200, !has("no-store", in: response.headers["Cache-Control"] ?? "") else {
            return false
        }
        // A hit has no such field: what the transport could not decode would be taken for the text itself.
        guard !response.headers.contains(name: "Content-Encoding") else { return false }
        guard let name = response.headers["Content-Type"].flatMap(Charset.parameter(in:)) else { return true }
        return ["utf-8", "us-ascii"].contains(Charset(named: name)?.name)
    }

    /// Whether a directive is in a `Cache-Control` value. One inside a quoted argument is taken for one as well: that
    /// costs a stored response, never a wrong one.
    private static func has(_ directive: String, in value: String) -> Bool {
        value.lowercased().fieldList.contains {
            $0.prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces) == directive
        }
    }
}

extension String {
    /// The members of a list as RFC 9110, section 5.6.1 writes it, without empty ones.
    fileprivate var fieldList: [String] {
        split(separator: ",").map { String($0.trimmingHTTPWhitespace) }.filter { !$0.isEmpty }
    }
}
