public import NetCore

/// Applies the ``CachePolicy`` of a request: answers from the cache, or sends the request and stores the response. Requests without a policy
/// pass through.
///
/// GET requests take part, and the methods named in the initialiser. A request with a body, a `Range`, a condition (`If-…`) or an `Accept-Encoding`
/// of its own goes to the server, and its response is not stored. The cache stores responses with status 200 that the caller collects; it passes
/// streams through. `no-store` in the request or the response wins over the policy. `no-cache` in the request sends it to the server.
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
/// A successful response to an unsafe method, such as PUT, removes the responses stored for its URL, of all owners. Responses to requests that this
/// process sent earlier are then not stored.
public struct CachePolicyInterceptor: HTTPCaching {
    /// The store of the bodies.
    public let cache: any ResponseCaching
    private let engine: CacheEngine

    /// Creates an interceptor over a cache, such as a ``NetworkCache``.
    ///
    /// - Parameters:
    ///   - cache: the store of the bodies.
    ///   - methodsKeyedByBody: methods besides GET that take part, such as POST for a GraphQL service: see ``CacheRules/methodsKeyedByBody``.
    public init(cache: any ResponseCaching, methodsKeyedByBody: Set<HTTPMethod> = []) {
        self.cache = cache
        var rules = CacheRules()
        rules.followsPolicy = true
        rules.methodsKeyedByBody = methodsKeyedByBody
        engine = CacheEngine(store: BodyStore(cache: cache), rules: rules)
    }

    /// Answers from the cache, or sends the request and stores the response.
    ///
    /// - Throws: the errors of `next`. Reading the body throws the errors of its source.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await engine.respond(to: request, next: next)
    }

    /// Removes the responses stored for the request's URL, of all owners.
    public func invalidate(for request: URLRequest) async { await engine.invalidate(for: request) }

    /// Removes all stored responses.
    public func invalidateAll() async { await engine.invalidateAll(at: Date()) }
}
