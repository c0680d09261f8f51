public import NetCore

/// Applies the ``CachePolicy`` of a request: answers from the cache, or sends the request and stores the response. Requests
/// without a policy pass through.
///
/// GET requests take part, and the methods named in the initialiser. A request with a body, a `Range`, a condition (`If-…`) or an
/// `Accept-Encoding` of its own goes to the server, and its response is not stored. The cache stores responses with status 200
/// that the caller collects; it passes streams through. `no-store` in the request or the response wins over the policy.
/// `no-cache` in the request sends it to the server.
///
/// **Header fields of a hit.** A ``ResponseCaching`` keeps bodies only. A hit is a 200 with `Content-Length` and `Cache-Status:
/// Networking; hit` (RFC 9211). Text in a charset other than UTF-8 needs its `Content-Type` for decoding, so it is not stored.
///
/// **Users.** The key is the request's URL, with a fragment that stands for ``RequestContext/identity``. So one user's response
/// never reaches another user. A response is not stored if the identity is unknown, or if an interceptor behind the cache added
/// credentials without naming their owner (``CredentialOwner``). Set the partition to store such responses.
///
/// **Variants.** A response with a `Vary` field only answers requests with the same values in the fields it names.
///
/// A successful response to an unsafe method, such as PUT, removes the responses stored for its URL, of all owners. Responses to
/// requests that this process sent earlier are then not stored.
public struct CachePolicyInterceptor: HTTPCaching {
    /// The store of the bodies.
    public let cache: any ResponseCaching
    private let methodsKeyedByBody: Set<HTTPMethod>
    private let owners: StoreOwners
    private let log = InvalidationLog()

    /// Creates an interceptor over a cache, such as a ``NetworkCache``.
    ///
    /// - Parameters:
    ///   - cache: the store of the bodies.
    ///   - methodsKeyedByBody: methods besides GET that take part, such as POST for a GraphQL service. The key of such a request
    ///     includes the method, the body and the `Content-Type`. Add GET to cache GETs with a body. Only bodies in memory take
    ///     part.
    public init(cache: any ResponseCaching, methodsKeyedByBody: Set<HTTPMethod> = []) {
        self.cache = cache
        self.methodsKeyedByBody = methodsKeyedByBody
        owners = StoreOwners { try cache.identityKey() }
    }

    /// Answers from the cache, or sends the request and stores the response.
    ///
    /// - Throws: the errors of `next`; and ``NetworkError/responseTooLarge(limit:)`` if a body to store exceeds the limit of the
    ///   call.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let policy = next.context.cachePolicy, Self.asksForWholeResource(request),
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
            // The URL was invalidated meanwhile.
            if !permit.isValid, let url = request.url { remove(url) }
        }
        return response
    }

    /// Removes the responses stored for the request's URL, of all owners.
    public func invalidate(for request: URLRequest) async {
        if let url = request.url { invalidate(url) }
    }

    /// Removes all stored responses.
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
        // A response from before the site set its first cookie, if the cookie does not identify a user.
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
            // A response from before the server sent `Vary` would hide all variants.
            cache.setResponse(Data(), for: call.key.url, expireTime: .distantPast)
            cache.setResponse(Data(fields.joined(separator: ",").utf8), for: index.url, expireTime: end)
            cache.setResponse(data, for: variant.url, expireTime: end)
            note([index.url, variant.url], of: call.key)
        }
    }

    /// Records the keys under which responses to the URL are stored, so that an invalidation finds them for all owners. The URL
    /// itself needs no record.
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
    /// The place of a response in the cache.
    private enum Place {
        case plain
        case variant(fields: [String])

        /// Nil if the response must not be stored: it has `Vary: *`, or varies by fields that were added behind the cache.
        init?(for response: TransportResponse, _ call: PolicyCall) {
            guard let names = Variants.fields(of: response.headers),
                call.additions(of: response, among: names).isEmpty
            else { return nil }
            // The body is stored decoded, and the request asked for no coding of its own.
            let others = names.filter { $0 != "accept-encoding" && !call.selecting.isInIdentity($0) }.sorted()
            self = others.isEmpty ? .plain : .variant(fields: others)
        }
    }

    private static func asksForWholeResource(_ request: URLRequest) -> Bool {
        guard request.httpMethod != "HEAD" else { return false }
        return !(request.allHTTPHeaderFields ?? [:]).keys.contains { Self.excludedHeaders.contains($0.lowercased()) }
    }

    /// The fields of requests that do not ask for the whole resource.
    private static let excludedHeaders: Set<String> = [
        "range", "accept-encoding", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]

    fileprivate static func isStorable(_ response: TransportResponse) -> Bool {
        guard response.status == 200, !has("no-store", in: response.headers["Cache-Control"] ?? "") else {
            return false
        }
        // A hit has no such field. A reader would take the encoded bytes for text.
        guard !response.headers.contains(name: "Content-Encoding") else { return false }
        guard let name = response.headers["Content-Type"].flatMap(Charset.parameter(in:)) else { return true }
        return ["utf-8", "us-ascii"].contains(Charset(named: name)?.name)
    }

    private static func has(_ directive: String, in value: String) -> Bool {
        !value.isEmpty && CacheDirective.list(value).contains { $0.name == directive }
    }
}
