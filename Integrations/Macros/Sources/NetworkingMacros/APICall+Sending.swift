public import NetTransfer

extension APICall {
    // MARK: Settings

    public mutating func authenticated(_ isAuthenticated: Bool) {
        if !isAuthenticated { request = request.authenticated(by: .none) }
    }

    public mutating func cached(_ isCached: Bool = true) { self.isCached = isCached }

    public mutating func retry(_ maxRetries: Int) { retryPolicy = RetryPolicy(maxRetries: maxRetries) }

    public mutating func retry(_ policy: RetryPolicy) { retryPolicy = policy }

    public mutating func timeout(_ seconds: Double) { request.timeoutInterval = seconds }

    // MARK: Clients

    /// Returns the request.
    func checked() throws(NetworkFailure) -> Request<Response> {
        if let problem { throw NetworkFailure(cause: problem) }
        return request
    }

    private func builder(_ client: any NetworkClientProtocol) throws(NetworkFailure) -> CallBuilder<Response> {
        guard let client = client as? NetworkClient else { throw .needsNetworkClient }
        var builder = client.builder(for: try checked())
        if let isCached { builder = builder.cached(isCached) }
        if let retryPolicy { builder = builder.retryPolicy(retryPolicy) }
        return builder
    }

    /// Sends the call and returns the response when its head arrives, whatever its status.
    public func response(from client: any NetworkClientProtocol) async throws(NetworkFailure) -> TransportResponse {
        try await builder(client).stream()
    }

    /// Returns the events of the call.
    public func events(
        from client: any NetworkClientProtocol,
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence {
        do throws(NetworkFailure) {
            return try configured(client).serverSentEvents(for: try checked(), configuration: configuration)
        } catch {
            return .failing(error)
        }
    }

    // Generic in `Response`, so that the overload for a `Sendable` one is not selected.
    private nonisolated(nonsending) func send(
        by client: any NetworkClientProtocol
    ) async throws(NetworkFailure) -> Response {
        try await client.send(try checked(), cached: isCached)
    }

    /// Returns a client with the call's retry policy, for what has none.
    func configured(_ client: any NetworkClientProtocol) throws(NetworkFailure) -> NetworkClient {
        guard let client = client as? NetworkClient else { throw .needsNetworkClient }
        guard let retryPolicy else { return client }
        return client.with { $0.retryPolicy = retryPolicy }
    }
}

extension APICall where Response: Decodable & Sendable {
    /// Sends the call and returns the decoded response.
    public func value(from client: any NetworkClientProtocol) async throws(NetworkFailure) -> Response {
        if client is NetworkClient { return try await builder(client).send() }
        guard retryPolicy == nil else { throw .needsNetworkClient }
        return try await client.send(decodingConcurrently: try checked(), cached: isCached)
    }

    /// Sends the call and returns the response with its value or its error.
    public func outcome(from client: any NetworkClientProtocol) async -> NetworkResponse<Response> {
        do {
            return try await builder(client).response()
        } catch {
            return NetworkResponse(failure: error)
        }
    }
}

// For a model whose conformance to `Decodable` is isolated to the caller's actor.
extension APICall where Response: Decodable {
    /// Sends the call and returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func value(
        from client: any NetworkClientProtocol
    ) async throws(NetworkFailure) -> Response {
        if client is NetworkClient { return try await builder(client).send() }
        guard retryPolicy == nil else { throw .needsNetworkClient }
        return try await send(by: client)
    }

    /// Sends the call and returns the response with its value, decoded on the caller's actor, or its error.
    public nonisolated(nonsending) func outcome(
        from client: any NetworkClientProtocol
    ) async -> NetworkResponse<Response> {
        do {
            return try await builder(client).response()
        } catch {
            return NetworkResponse(failure: error)
        }
    }
}

extension NetworkFailure {
    static var needsNetworkClient: NetworkFailure {
        NetworkFailure(
            cause: .unsupported(
                "A stream, a transfer, @Retry and a result of type NetworkResponse or TransportResponse need a NetworkClient. "
                    + "In a test, use the generated mock."))
    }
}

// Failures of calls that do not throw.
extension NetworkResponse {
    init(failure: NetworkFailure) {
        self.init(request: nil, response: nil, data: nil, result: .failure(failure.cause), failure: failure)
    }
}

extension ServerSentEventSequence {
    static func failing(_ failure: any Error) -> ServerSentEventSequence {
        let body = HTTPBody(pulling: { throw failure })
        return ResponseStream(TransportResponse(status: 200, url: nil, body: body)).serverSentEvents()
    }
}
