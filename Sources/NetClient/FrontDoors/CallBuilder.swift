/// A call that is being put together: each method gives a copy with one thing changed, and `send()` sends it (seed 003).
///
/// ```swift
/// let user = try await client.request(GetUserEndpoint(id: "123"))
///     .timeout(60)
///     .header("X-Request-ID", UUID().uuidString)
///     .send()
/// ```
///
/// It is a value: keep it, change copies of it, and send it as often as you like. If it and all its copies are released and none was sent,
/// the client's `LoggingInterceptor` logs a warning.
public struct CallBuilder<Response>: Sendable {
    private let client: NetworkClient
    private let lower: @Sendable (NetworkClient) throws -> RequestBuilder
    private var options: CallOptions
    private let unsent: UnsentCall

    init(
        client: NetworkClient, options: CallOptions = CallOptions(),
        lower: @escaping @Sendable (NetworkClient) throws -> RequestBuilder
    ) {
        self.client = client
        self.options = options
        self.lower = lower
        unsent = UnsentCall(client: client, lower: lower)
    }

    private func with(_ change: (inout CallOptions) -> Void) -> CallBuilder {
        var copy = self
        change(&copy.options)
        return copy
    }

    /// The longest time without any byte, in seconds.
    public func timeout(_ seconds: TimeInterval) -> CallBuilder { with { $0.timeout = seconds } }

    /// The longest time that the call may take as a whole, in seconds: all attempts, and the waiting between them and before.
    /// It starts when the call is sent.
    public func totalTimeout(_ seconds: TimeInterval) -> CallBuilder { with { $0.totalTimeout = seconds } }

    /// A header field, in place of one of that name.
    public func header(_ name: String, _ value: String) -> CallBuilder {
        with { $0.headers.add(HTTPHeader(name: name, value: value)) }
    }

    /// Header fields, each in place of one of its name.
    public func headers(_ headers: [String: String]) -> CallBuilder {
        self.headers(HTTPHeaders(headers))
    }

    /// Header fields, each in place of one of its name.
    public func headers(_ headers: HTTPHeaders) -> CallBuilder {
        with { options in
            for header in headers { options.headers.add(header) }
        }
    }

    /// The policy in place of the client's. `.none` sends the request once, also where new credentials might help.
    public func retryPolicy(_ policy: RetryPolicy) -> CallBuilder { with { $0.retryPolicy = policy } }

    /// What the client's cache may do for this call (seed 000).
    public func cachePolicy(_ policy: CachePolicy) -> CallBuilder { with { $0.cachePolicy = policy } }

    /// What caches may do, in Foundation's terms.
    public func cachePolicy(_ policy: URLRequest.CachePolicy) -> CallBuilder {
        with { $0.foundationCachePolicy = policy }
    }

    /// Whether the client's cache takes part: true is the HTTP cache in full (RFC 9111) whatever the client's policy, for GET and HEAD;
    /// false neither looks up nor stores.
    public func cached(_ isCached: Bool = true) -> CallBuilder {
        with { $0.isCached = isCached }
    }

    /// Where the credentials come from; `.none` for none.
    public func authenticated(by provider: any AuthenticationProvider) -> CallBuilder {
        with { $0.authenticationProvider = provider }
    }

    /// Names the user whose request it is: see ``RequestContext/identity``.
    public func partition(_ owner: String) -> CallBuilder { with { $0.partition = owner } }

    /// How urgent it is compared with others that wait for the same host.
    public func priority(_ priority: RequestPriority) -> CallBuilder { with { $0.priority = priority } }

    /// Which responses are accepted, in place of every status from 200 to 299. Called again, it adds to the rules.
    public func validate(_ validation: ResponseValidation) -> CallBuilder {
        with { $0.validation = $0.validation?.merging(validation) ?? validation }
    }

    /// Sends it and gives the response as it comes: any status, the body to be read as a stream.
    ///
    /// - Throws: a failure; a status is none.
    public func stream() async throws(NetworkFailure) -> TransportResponse {
        unsent.markSent()
        let call = try await client.prepared(options, anywhere: { try lower(client) })
        return try await client.send(call.request, body: call.body, context: call.context)
    }
}

extension CallBuilder where Response: Decodable & Sendable {
    /// Sends it and gives the answer.
    ///
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not accepted.
    @discardableResult
    public func send() async throws(NetworkFailure) -> Response {
        unsent.markSent()
        return try await client.value(options) { try lower(client) }
    }

    /// Sends it and gives the whole response with its value or its error. Never throws.
    public func response() async -> NetworkResponse<Response> {
        unsent.markSent()
        return await client.networkResponse(
            options, serializer: DecodableSerializer(Response.self, decoder: client.decoder)
        ) { try lower(client) }
    }

    /// The pages that begin with this one, each naming the next in a `Link` field: see
    /// ``NetworkClient/pages(of:for:context:maximumPages:)``. ``totalTimeout(_:)`` is for all of them, from now on.
    ///
    /// - Throws: a failure, if the first request cannot be built; ``NetworkError/unsupported(_:)`` for a body that is not in memory.
    ///   What the sequence throws is a ``NetworkFailure``.
    public func pages(maximumPages: Int = 10_000) throws(NetworkFailure) -> PageSequence<Response> {
        unsent.markSent()
        var call = try client.prepared(options) { try lower(client) }
        if let body = call.body {
            guard let data = body.data else {
                throw NetworkFailure(
                    cause: .unsupported("Pages can be asked for with a body in memory only."),
                    timestamp: client.clock.now)
            }
            call.request.httpBody = data
        }
        return client.pages(
            of: Response.self, for: call.request, context: call.context, maximumPages: maximumPages)
    }
}

// For a model whose conformance to `Decodable` belongs to the caller's actor.
extension CallBuilder where Response: Decodable {
    /// Sends it and gives the answer, decoded on the caller's actor.
    ///
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not accepted.
    @discardableResult
    public nonisolated(nonsending) func send() async throws(NetworkFailure) -> Response {
        unsent.markSent()
        return try await client.value(options) { try lower(client) }
    }

    /// Sends it and gives the whole response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func response() async -> NetworkResponse<Response> {
        unsent.markSent()
        let call = Result { () throws(NetworkFailure) in try client.prepared(options) { try lower(client) } }
        return await client.outcome(of: call).decoded(by: client.decoder, timestamp: client.clock.now)
    }
}
