public import NetClient
public import NetCore

extension NetworkClient: TransferClientProtocol {
    /// Uploads anything: see ``TransferClientProtocol/upload(_:to:)``. For code that knows the endpoint as a generic parameter only: the
    /// upload fails with ``NetworkError/unsupported(_:)`` if its answer cannot be decoded off the main actor.
    @_disfavoredOverload
    public func upload<E: Endpoint>(
        _ content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        UploadCall(client: self, content: content) { try lower(endpoint) }.startIfDecodable()
    }

    /// Uploads anything, and decodes the answer on the main actor.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        onMainActor content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        UploadCall(client: self, content: content) { try lower(endpoint) }.startOnMainActor()
    }
}

// Uploads that are waited for (seeds 001 and 002). Cancelling the task that waits stops them.
extension NetworkClient {
    /// Uploads bytes from memory and gives the answer (seed 001).
    ///
    /// ```swift
    /// let user = try await client.upload(for: Request<User>(method: .post, path: "/avatar"), from: Data([1, 2, 3]))
    /// ```
    ///
    /// - Parameters:
    ///   - request: where to; its method has to be one with a body. Its own body is not sent.
    ///   - data: the body, as `application/octet-stream` unless the request's headers say otherwise.
    ///   - progress: called off the main thread, one call after the other, and not after the return. A slow one misses values, but
    ///     never the last.
    /// - Throws: a failure: see ``TransferClientProtocol/upload(_:to:)``.
    public func upload<Value: Decodable & Sendable>(
        for request: Request<Value>, from data: Data, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(for: request, .data(data)).send(progress: progress)
    }

    /// Uploads bytes from memory and gives the answer, decoded on the caller's actor.
    public nonisolated(nonsending) func upload<Value: Decodable>(
        for request: Request<Value>, from data: Data, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(for: request, .data(data)).send(progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the answer.
    ///
    /// - Throws: a failure: see ``TransferClientProtocol/upload(_:to:)``.
    public func upload<Value: Decodable & Sendable>(
        for request: Request<Value>, fromFile fileURL: URL, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(for: request, .file(fileURL)).send(progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the answer, decoded on the caller's actor.
    public nonisolated(nonsending) func upload<Value: Decodable>(
        for request: Request<Value>, fromFile fileURL: URL, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(for: request, .file(fileURL)).send(progress: progress)
    }

    /// Uploads a form with files and gives the answer.
    ///
    /// - Throws: a failure: see `upload(formData:to:)`.
    public func upload<Value: Decodable & Sendable>(
        for request: Request<Value>, from formData: MultipartFormData,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(for: request, .multipart(formData)).send(progress: progress)
    }

    /// Uploads a form with files and gives the answer, decoded on the caller's actor.
    public nonisolated(nonsending) func upload<Value: Decodable>(
        for request: Request<Value>, from formData: MultipartFormData,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(for: request, .multipart(formData)).send(progress: progress)
    }

    /// Uploads bytes as the only file of a form and gives the answer, of the type that the caller names (seed 002).
    ///
    /// - Parameters:
    ///   - fileData: the content of the file.
    ///   - filename: its name.
    ///   - mimeType: its type.
    ///   - endpoint: where to, whatever its own ``Endpoint/Response`` is. Its method has to be one with a body.
    ///   - name: of the form's field.
    ///   - progress: see `upload(for:from:progress:)`.
    /// - Throws: a failure: see `upload(formData:to:)`.
    public func upload<Value: Decodable & Sendable>(
        _ fileData: Data, filename: String, mimeType: String, to endpoint: some Endpoint, name: String = "file",
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await call(fileData, filename, mimeType, endpoint, name).send(progress: progress)
    }

    /// Uploads bytes as the only file of a form and gives the answer, of the type that the caller names, decoded on the caller's actor.
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
        return UploadCall(client: self, content: .multipart(formData)) { try lower(endpoint) }
    }

    private func call<Value>(for request: Request<Value>, _ content: UploadContent) -> UploadCall {
        UploadCall(client: self, content: content, options: options(for: request, cached: false)) {
            try lower(request)
        }
    }
}
