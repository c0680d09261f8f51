public import NetCore

/// Obeys the ``CachePolicy`` of a request (seed 000, "Request-to-Cache Flow"): looks into the cache first, sends the request
/// on a miss, and stores what came. Requests without a policy pass untouched.
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
/// **Whose response.** The key is the request's URL. Its fragment names the ``RequestContext/partition`` and holds a digest of
/// `Authorization`, `Cookie`, `X-API-Key`, `X-Auth-Token` and the URL's user information, so that one user's response never
/// reaches another. Credentials that an interceptor adds further in, and cookies that the transport keeps, are not to be seen
/// when the request comes by: without a partition, a response to a request that was *sent* with them is not stored, and every
/// such request goes to the server. Set the partition to have them cached. A response that says by `Vary` that it depends on
/// such a header, of which the request shows nothing, is not stored either.
///
/// **Variants.** A response with a `Vary` field answers only requests with the same values in the fields named there.
public struct CachePolicyInterceptor: HTTPInterceptor {
    private let cache: any ResponseCaching
    private let methodsKeyedByBody: Set<HTTPMethod>

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
    }

    /// Answers from the cache, or sends the request on and stores the response, as the policy says.
    ///
    /// - Throws: what `next` throws, and where it stores, ``NetworkError/responseTooLarge(limit:)`` for a body over the limit
    ///   of the call.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let policy = next.context.cachePolicy, Self.asksForTheResource(request),
            let body = BodyKey(request, body: next.body, methodsKeyedByBody: methodsKeyedByBody),
            let key = CacheKey(request: request, partition: next.context.partition, body: body.text)
        else { return try await next(request) }

        let directives = request.value(forHTTPHeaderField: "Cache-Control") ?? ""
        if policy.useCache, !Self.has("no-cache", in: directives), let data = stored(under: key, for: request) {
            return Self.hit(data, url: request.url)
        }
        var response = try await next(request)
        guard policy.storeCache, case .collected(let limit) = next.context.delivery,
            !Self.has("no-store", in: directives), Self.isStorable(response),
            next.context.partition != nil || Self.shows(key, allCredentialsOf: response),
            let place = Place(for: response, under: key)
        else { return response }

        let data = try await response.body.collect(upTo: limit)
        response.body = HTTPBody(data)
        store(data, at: place, under: key, for: request, until: policy.expireTime)
        return response
    }

    /// Whether the key has the credentials with which the request was sent, and not fewer.
    private static func shows(_ key: CacheKey, allCredentialsOf response: TransportResponse) -> Bool {
        guard !response.hasJarCookies else { return false }
        guard let sent = response.request else { return true }
        return CacheKey(request: sent, partition: nil)?.credentials == key.credentials
    }

    private func stored(under key: CacheKey, for request: URLRequest) -> Data? {
        if let data = cache.getResponse(for: key.url) { return data }
        guard let index = key.variantIndex, let fields = cache.getResponse(for: index.url) else { return nil }
        let names = String(decoding: fields, as: UTF8.self).split(separator: ",").map(String.init)
        return key.variant(of: names, in: request).flatMap { cache.getResponse(for: $0.url) }
    }

    private func store(_ data: Data, at place: Place, under key: CacheKey, for request: URLRequest, until end: Date?) {
        switch place {
        case .plain:
            cache.setResponse(data, for: key.url, expireTime: end)
        case .variant(let fields):
            guard let index = key.variantIndex, let variant = key.variant(of: fields, in: request) else { return }
            // One stored while the server did not say that it varies would hide all variants.
            cache.setResponse(Data(), for: key.url, expireTime: .distantPast)
            cache.setResponse(Data(fields.joined(separator: ",").utf8), for: index.url, expireTime: end)
            cache.setResponse(data, for: variant.url, expireTime: end)
        }
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

        /// Nil if it must not be stored: it is never the same (`Vary: *`), or depends on who asks, and that is not known.
        init?(for response: TransportResponse, under key: CacheKey) {
            let names = Set((response.headers["Vary"] ?? "").lowercased().fieldList)
            let credentials = Set(CacheOwner.credentialHeaders.map { $0.lowercased() })
            guard !names.contains("*"), key.hasOwner || names.isDisjoint(with: credentials) else { return nil }
            // The body is stored decoded, and the request asked for no coding of its own.
            let others = names.subtracting(credentials).subtracting(["accept-encoding"]).sorted()
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

    private static func isStorable(_ response: TransportResponse) -> Bool {
        guard response.status == 200, !has("no-store", in: response.headers["Cache-Control"] ?? "") else {
            return false
        }
        let type = (response.headers["Content-Type"] ?? "").lowercased()
        guard let charset = type.range(of: "charset=") else { return true }
        let name = type[charset.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" && $0 != " " }
        return ["utf-8", "utf8", "us-ascii"].contains(name)
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
