public import NetClient
public import NetCore

extension NetworkClient: TransferClientProtocol {
    /// Uploads any content: see ``TransferClientProtocol/upload(_:to:)``. This overload is for code that knows the endpoint only as a
    /// generic parameter. It fails with ``NetworkError/unsupported(_:)`` if the response cannot be decoded off the main actor.
    @_disfavoredOverload
    public func upload<E: Endpoint>(
        _ content: Uploader.Content, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        UploadCall(client: self, content: content) { try call(for: endpoint) }.startIfDecodable()
    }

    /// Uploads any content, and decodes the response on the main actor.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        onMainActor content: Uploader.Content, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        UploadCall(client: self, content: content) { try call(for: endpoint) }.startOnMainActor()
    }
}

// Uploads that return the value. Cancelling the task that waits stops the upload.
extension NetworkClient {
    /// Uploads bytes from memory. Returns the decoded response.
    ///
    /// ```swift
    /// let user = try await client.upload(for: Request<User>(method: .post, path: "/avatar"), from: Data([1, 2, 3]))
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request, with a method that has a body. Its own body is not sent.
    ///   - data: the body, as `application/octet-stream` unless the request's headers have a `Content-Type`.
    ///   - progress: called off the main thread, one call after another, not after the return. A slow one misses values, never the last.
    /// - Throws: ``NetworkFailure``: see ``TransferClientProtocol/upload(_:to:)``.
    public func upload<Value: Decodable & Sendable>(
        for request: Request<Value>, from data: Data, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value { try await call(for: request, .data(data)).send(progress: progress) }

    /// Uploads bytes from memory. Returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func upload<Value: Decodable>(
        for request: Request<Value>, from data: Data, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value { try await call(for: request, .data(data)).send(progress: progress) }

    /// Uploads a file, a form or another body. Returns the decoded response.
    ///
    /// - Throws: ``NetworkFailure``: see ``TransferClientProtocol/upload(_:to:)``.
    public func upload<Value: Decodable & Sendable>(
        for request: Request<Value>, from content: Uploader.Content,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value { try await call(for: request, content).send(progress: progress) }

    /// Uploads a file, a form or another body. Returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func upload<Value: Decodable>(
        for request: Request<Value>, from content: Uploader.Content,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value { try await call(for: request, content).send(progress: progress) }

    /// Uploads bytes as the only file of a form. Returns the response, decoded as the type that the caller expects.
    ///
    /// - Parameters:
    ///   - fileData: the content of the file.
    ///   - filename: the name of the file.
    ///   - mimeType: the type of the file.
    ///   - endpoint: an endpoint with any ``Endpoint/Response``, and a method that has a body.
    ///   - name: the name of the form's field.
    ///   - progress: see `upload(for:from:progress:)`.
    /// - Throws: ``NetworkFailure``: see `upload(formData:to:)`.
    public func upload<Value: Decodable & Sendable>(
        _ fileData: Data, filename: String, mimeType: String, to endpoint: some Endpoint, name: String = "file",
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(fileData, filename, mimeType, endpoint, name).send(progress: progress)
    }

    /// Uploads bytes as the only file of a form. Returns the response, decoded on the caller's actor as the type that the caller expects.
    public nonisolated(nonsending) func upload<Value: Decodable>(
        _ fileData: Data, filename: String, mimeType: String, to endpoint: some Endpoint, name: String = "file",
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(fileData, filename, mimeType, endpoint, name).send(progress: progress)
    }

    private func call(
        _ fileData: Data, _ filename: String, _ mimeType: String, _ endpoint: some Endpoint, _ name: String
    ) -> UploadCall {
        let formData = MultipartFormData()
        formData.append(data: fileData, name: name, filename: filename, mimeType: mimeType)
        return UploadCall(client: self, content: .multipart(formData)) { try call(for: endpoint) }
    }

    private func call<Value>(for request: Request<Value>, _ content: Uploader.Content) -> UploadCall {
        UploadCall(client: self, content: content) { try call(for: request, cached: false) }
    }
}
