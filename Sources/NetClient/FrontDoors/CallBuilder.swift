/// Builds a call. Each method returns a copy with one change, and `send()` sends it.
///
/// ```swift
/// let user = try await client.request(GetUserEndpoint(id: "123"))
///     .timeout(60)
///     .header("X-Request-ID", UUID().uuidString)
///     .send()
/// ```
///
/// It is a value: keep it, change copies, and send it any number of times. If it and all its copies are released without being sent, the client's
/// `LoggingInterceptor` logs a warning; without one, the process does.
public struct CallBuilder<Response>: Sendable {
    private let unsent: UnsentCall
    private var changes: [@Sendable (inout Call) -> Void] = []

    init(client: NetworkClient, _ make: @escaping @Sendable (NetworkClient) throws -> Call) {
        unsent = UnsentCall(client: client, make)
    }

    private var client: NetworkClient { unsent.client }

    private func with(_ change: @escaping @Sendable (inout Call) -> Void) -> CallBuilder {
        var copy = self
        copy.changes.append(change)
        return copy
    }

    private func call() throws -> Call {
        var call = try unsent.make(client)
        for change in changes { change(&call) }
        return call
    }

    /// Sets the longest time without any byte, in seconds.
    public func timeout(_ seconds: TimeInterval) -> CallBuilder { with { $0.timeout = seconds } }

    /// Sets the longest time of the call as a whole, in seconds: all attempts, and the waits before and between them. It starts
    /// when the call is sent.
    public func totalTimeout(_ seconds: TimeInterval) -> CallBuilder { with { $0.totalTimeout = seconds } }

    /// Sets a header field, and replaces one of that name.
    public func header(_ name: String, _ value: String) -> CallBuilder {
        with { $0.headers.add(HTTPHeader(name: name, value: value)) }
    }

    /// Sets header fields, and replaces those of their names.
    public func headers(_ headers: HTTPHeaders) -> CallBuilder {
        with { call in for header in headers { call.headers.add(header) } }
    }

    /// Sets a retry policy in place of the client's. `.none` sends the request once, even if new credentials would help.
    public func retryPolicy(_ policy: RetryPolicy) -> CallBuilder { with { $0.retryPolicy = policy } }

    /// Sets what the client's cache may do.
    public func cachePolicy(_ policy: CachePolicy) -> CallBuilder { with { $0.cachePolicy = policy } }

    /// Sets Foundation's cache policy.
    public func cachePolicy(_ policy: URLRequest.CachePolicy) -> CallBuilder {
        with { $0.foundationCachePolicy = policy }
    }

    /// Sets whether to use the client's cache: true enables the HTTP cache (RFC 9111) whatever the client's policy, for GET and
    /// HEAD; false neither reads nor stores.
    public func cached(_ isCached: Bool = true) -> CallBuilder { with { $0.isCached = isCached } }

    /// Sets the provider of credentials; `.none` for none.
    public func authenticated(by provider: any AuthenticationProvider) -> CallBuilder {
        with { $0.authenticationProvider = provider }
    }

    /// Sets the name of the user of the request: see ``RequestContext/identity``.
    public func partition(_ owner: String) -> CallBuilder { with { $0.partition = owner } }

    /// Sets the priority among requests that wait for the same host.
    public func priority(_ priority: RequestContext.Priority) -> CallBuilder { with { $0.priority = priority } }

    /// Sets which responses are accepted, in place of every status from 200 to 299. A second call adds rules.
    public func validate(_ validation: ResponseValidation) -> CallBuilder {
        with { $0.validation = $0.validation?.merging(validation) ?? validation }
    }

    /// Changes the settings of the call that differ from its client's: interceptors, hooks, redirects, cookies, trust.
    ///
    /// ```swift
    /// let user = try await client.builder(for: GetUserEndpoint(id: "123")).options { $0.redirectPolicy = .doNotFollow }.send()
    /// ```
    public func options(_ change: @escaping @Sendable (inout RequestOptions) -> Void) -> CallBuilder {
        with { $0.changeOptions(change) }
    }

    /// Decodes the value at a path in the response: see ``RequestOptions/responseKeyPath``.
    public func keyPath(_ path: String) -> CallBuilder { options { $0.responseKeyPath = path } }

    /// Sends the call and returns the response when its head arrives, whatever its status. The body is a stream.
    ///
    /// - Throws: a failure. No status is an error.
    public func stream() async throws(NetworkFailure) -> TransportResponse {
        unsent.markSent()
        let call = try await client.build(anywhere: self.call)
        return try await client.send(call.request, body: call.body, context: call.context)
    }
}

extension CallBuilder where Response: Decodable & Sendable {
    /// Sends the call and returns the decoded response.
    ///
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not accepted.
    @discardableResult
    public func send() async throws(NetworkFailure) -> Response {
        unsent.markSent()
        return try await client.value(call)
    }

    /// Sends the call and returns the whole response with its value or its error. Never throws.
    public func response() async -> NetworkResponse<Response> {
        unsent.markSent()
        return await client.networkResponse(by: DecodableSerializer(Response.self, decoder: client.decoder), call)
    }

    /// Returns the pages from this one on, which a `Link` field connects: see ``NetworkClient/pages(of:for:context:maximumPages:)``.
    /// ``totalTimeout(_:)`` limits all of them together, from now on.
    ///
    /// - Throws: a failure if the first request cannot be built; ``NetworkError/unsupported(_:)`` for a body that is not in memory. The
    ///   sequence throws a ``NetworkFailure``.
    public func pages(maximumPages: Int = 10_000) throws(NetworkFailure) -> PageSequence<Response> {
        unsent.markSent()
        var call = try client.build(self.call)
        if let body = call.body {
            guard let data = body.data else {
                throw NetworkFailure(
                    cause: .unsupported("A request for pages needs a body in memory."), timestamp: client.clock.now)
            }
            call.request.httpBody = data
        }
        return client.pages(of: Response.self, for: call.request, context: call.context, maximumPages: maximumPages)
    }
}

// For a model whose conformance to `Decodable` is isolated to the caller's actor.
extension CallBuilder where Response: Decodable {
    /// Sends the call and returns the response, decoded on the caller's actor. Throws as the form for a `Sendable` type.
    @discardableResult
    public nonisolated(nonsending) func send() async throws(NetworkFailure) -> Response {
        unsent.markSent()
        return try await client.value(call)
    }

    /// Sends the call and returns the whole response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func response() async -> NetworkResponse<Response> {
        unsent.markSent()
        let call = Result { () throws(NetworkFailure) in try client.build(self.call) }
        return await client.outcome(of: call).decoded(by: client.decoder, timestamp: client.clock.now)
    }
}

/// The call of a builder before its changes. All copies share it. When the last one is released, it reports a call that was not sent.
final class UnsentCall: Sendable {
    let client: NetworkClient
    let make: @Sendable (NetworkClient) throws -> Call
    private let isSent = Locked(false)

    init(client: NetworkClient, _ make: @escaping @Sendable (NetworkClient) throws -> Call) {
        self.client = client
        self.make = make
    }

    func markSent() { isSent.withLock { $0 = true } }

    deinit {
        guard !isSent.withLock({ $0 }) else { return }
        // The request is built only now, since most calls are sent.
        client.reportUnsent(
            try? make(client).urlRequest(),
            advice:
                "Call send(), response(), stream() or pages(). At the top level of main.swift, a call without a type returns "
                + "a builder: write let value: Value = try await client.request(…).")
    }
}

extension NetworkClient {
    /// Reports a call that was released without having been sent to the client's log; a request that cannot be built is nil. Without a log, the
    /// process writes it at once, since a program may end next.
    package func reportUnsent(_ request: URLRequest?, advice: String) {
        let call = request.map { RequestSnapshot($0).description } ?? "A call that cannot be built"
        let report = "\(call) was released without having been sent. \(advice)"
        if let reporter = chain.interceptors.lazy.compactMap({ $0 as? any UnsentCallReporting }).first {
            reporter.reportUnsent(report)
        } else {
            ProcessLog.write(report)
        }
    }
}
