public import NetCore

extension PendingOperationsQueue {
    /// Stores a request, to be sent later: see ``add(_:expiresIn:partition:)-(URLRequest,_,_)``.
    ///
    /// Its parameters are encoded now, by the client's encoder. Its cache policy, its retry count and its timeout are not stored.
    @discardableResult
    public func add(
        _ config: RequestConfig, expiresIn lifetime: TimeInterval? = nil, partition: String? = nil
    ) async throws -> PendingOperation {
        try await add(
            RequestBuilder(config, encoder: client.encoder), expiresIn: lifetime, partition: partition)
    }

    /// Stores an endpoint's request, to be sent later: see ``add(_:expiresIn:partition:)-(URLRequest,_,_)``.
    ///
    /// It is made now, with the client's environment and encoder, and sent there whatever the environment is then. What the server
    /// answers is in ``events``; nothing decodes it.
    @discardableResult
    public func add(
        _ endpoint: some Endpoint, expiresIn lifetime: TimeInterval? = nil, partition: String? = nil
    ) async throws -> PendingOperation {
        try await add(
            RequestBuilder(endpoint, environment: client.environment, encoder: client.encoder),
            expiresIn: lifetime, partition: partition)
    }

    private func add(
        _ builder: RequestBuilder, expiresIn lifetime: TimeInterval?, partition: String?
    ) async throws -> PendingOperation {
        let limit = PendingOperation.Content.maximumBodySize
        let body: Data?
        do {
            body = try await builder.body?.collect(upTo: limit)
        } catch NetworkError.responseTooLarge {
            throw PendingOperationsError.bodyTooLarge(limit: limit)
        }
        return try await add(
            builder.urlRequest(), body: body, expiresIn: lifetime, partition: partition)
    }
}
