public import NetCore

extension PendingOperationsQueue {
    /// Stores a request, to be sent later.
    ///
    /// - Parameters:
    ///   - request: its body has to be data, not a stream, of up to 64 MiB. An `Idempotency-Key` that it has is used; otherwise one is
    ///     made. What it says of timeouts and caches is not stored.
    ///   - lifetime: the seconds after which it is dropped; nil for no limit.
    ///   - partition: the user whose operation it is: see ``RequestContext/partition``. Nil for the user whom the client names now.
    /// - Returns: the operation, when it is stored for good.
    /// - Throws: ``PendingOperationsQueue/Failure``, ``NetworkError/invalidURL``, ``RequestBuildingError``. Then it is not stored.
    @discardableResult
    public func add(
        _ request: URLRequest, expiresIn lifetime: TimeInterval? = nil, partition: String? = nil
    ) async throws -> PendingOperation {
        try await add(request, body: nil, expiresIn: lifetime, partition: partition)
    }

    func add(
        _ request: URLRequest, body: Data?, expiresIn lifetime: TimeInterval?, partition: String?
    ) async throws -> PendingOperation {
        try checkOpen()
        let content = try PendingOperation.Content(
            request, body: body, keepsCredentials: settings.keepsCredentials)
        lastSequence += 1
        let now = settings.clock.now
        let operation = PendingOperation(
            content, sequence: lastSequence, createdAt: now, expiresAt: lifetime.map { now.addingTimeInterval($0) },
            partition: partition, owner: client.ownerName(for: request))
        try await storage.save(operation)
        order.insert(operation)
        notices.send(.added, operation)
        wake()
        return operation
    }

    /// Takes an operation out. One that is being sent may reach the server all the same.
    ///
    /// - Throws: what the storage throws; then it stays.
    public func remove(_ id: PendingOperation.ID) async throws {
        try checkOpen()
        guard let operation = order[id] else { return }
        try await storage.remove(id: id)
        order.remove(id)
        notices.send(.removed, operation)
    }

    /// Makes a failed operation wait again, to be sent in its old place.
    ///
    /// - Throws: what the storage throws.
    public func retry(_ id: PendingOperation.ID) async throws {
        try checkOpen()
        guard var operation = order[id], operation.state == .failed else { return }
        operation.state = .waiting
        operation.attempts = 0
        try await storage.save(operation)
        order.update(operation)
        wake()
    }

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
            throw PendingOperationsQueue.Failure.bodyTooLarge(limit: limit)
        }
        return try await add(
            builder.urlRequest(), body: body, expiresIn: lifetime, partition: partition)
    }
}
