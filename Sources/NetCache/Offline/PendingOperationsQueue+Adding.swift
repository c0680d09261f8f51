public import NetCore

extension PendingOperationsQueue {
    /// Stores a request, to be sent later.
    ///
    /// - Parameters:
    ///   - request: a request with a body of up to 64 MiB, which must be data, not a stream. The queue uses its
    ///     `Idempotency-Key`, or creates one. It does not store its timeout and cache policy.
    ///   - lifetime: the seconds after which the queue drops the operation; nil, infinity and NaN for no limit.
    ///   - partition: the user of the operation: see ``RequestContext/partition``. Nil for the user whom the client names now.
    /// - Returns: the operation, when it is on the medium.
    /// - Throws: ``PendingOperationsQueue/Failure``, ``NetworkError/invalidURL``, an error that describes the problem. Nothing is stored then.
    @discardableResult
    public func add(
        _ request: URLRequest, expiresIn lifetime: TimeInterval? = nil, partition: String? = nil
    ) async throws -> PendingOperation { try await add(request, body: nil, expiresIn: lifetime, partition: partition) }

    func add(
        _ request: URLRequest, body: Data?, expiresIn lifetime: TimeInterval?, partition: String?
    ) async throws -> PendingOperation {
        try checkOpen()
        let content = try PendingOperation.Content(request, body: body, keepsCredentials: keepsCredentials)
        let now = clock.now
        // The time, so that operations of several processes are in order.
        lastSequence = max(lastSequence + 1, Int64(exactly: (now.timeIntervalSince1970 * 1e6).rounded()) ?? 0)
        // JSON has no infinite numbers.
        let expiry = lifetime.flatMap { $0 < .infinity ? now.addingTimeInterval(max(0, $0)) : nil }
        let operation = PendingOperation(
            id: UUID(), createdAt: now, expiresAt: expiry, partition: partition,
            owner: client.ownerName(for: request), sequence: lastSequence, content: content)
        try await insert(operation)
        report(.added, operation)
        wakes.send(())
        return operation
    }

    /// Removes an operation. If it is being sent, it may still reach the server.
    ///
    /// - Throws: the storage's error. The operation stays then.
    public func remove(_ id: PendingOperation.ID) async throws {
        await contents.lockEvenIfCancelled()
        defer { contents.unlock() }
        try checkOpen()
        guard let operation = stored[id] else { return }
        try await storage.remove(id: id)
        stored[id] = nil
        report(.removed, operation)
    }

    /// Makes a failed operation wait again, in its old place.
    ///
    /// - Throws: the storage's error.
    public func retry(_ id: PendingOperation.ID) async throws {
        await contents.lockEvenIfCancelled()
        defer { contents.unlock() }
        try checkOpen()
        guard var operation = stored[id], operation.state == .failed else { return }
        operation.state = .waiting
        operation.attempts = 0
        try await storage.save(operation)
        note(operation)
        wakes.send(())
    }

    /// Stores a request, to be sent later: see ``add(_:expiresIn:partition:)-(URLRequest,_,_)``.
    ///
    /// The client's encoder and query encoding encode its parameters now. Its cache policy, retry count and timeouts are not stored, and
    /// other options than those of the query are refused with ``NetworkError/unsupported(_:)``.
    @discardableResult
    public func add(
        _ config: RequestConfig, expiresIn lifetime: TimeInterval? = nil, partition: String? = nil
    ) async throws -> PendingOperation {
        try await add(
            Call(config, encoder: client.encoder, queryEncoding: client.queryEncoding),
            expiresIn: lifetime, partition: partition)
    }

    /// Stores an endpoint's request, to be sent later: see ``add(_:expiresIn:partition:)-(URLRequest,_,_)``.
    ///
    /// The request is built now, with the client's environment and encoder. A later change of the environment does not affect it.
    /// The response is in ``events``, and is not decoded. The endpoint's options are treated like those of a `RequestConfig`.
    @discardableResult
    public func add(
        _ endpoint: some Endpoint, expiresIn lifetime: TimeInterval? = nil, partition: String? = nil
    ) async throws -> PendingOperation {
        try await add(
            Call(
                endpoint, environment: client.environment, encoder: client.encoder, queryEncoding: client.queryEncoding),
            expiresIn: lifetime, partition: partition)
    }

    private func add(
        _ builder: Call, expiresIn lifetime: TimeInterval?, partition: String?
    ) async throws -> PendingOperation {
        if let options = builder.options?.value,
            options.changesPipeline || options.usesCookies != nil || options.requestCompression != nil
        {
            throw NetworkError.unsupported(
                "A request that is stored for later has no options of its own. Set them on the queue's client.")
        }
        let limit = PendingOperation.Content.maximumBodySize
        let body: Data?
        do {
            body = try await builder.body?.collect(upTo: limit)
        } catch NetworkError.responseTooLarge {
            throw Failure.bodyTooLarge(limit: limit)
        }
        return try await add(builder.urlRequest(), body: body, expiresIn: lifetime, partition: partition)
    }
}
