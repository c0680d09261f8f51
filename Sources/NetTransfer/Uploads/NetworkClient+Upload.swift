public import NetClient
public import NetCore

// Uploads whose progress is watched (seed 003). They start at once.
extension NetworkClient {
    /// Uploads a file as it is, streamed from the disk.
    ///
    /// ```swift
    /// let (progress, task) = client.upload(file: url, to: UploadEndpoint())
    /// for await update in progress { print(update) }  // 50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s
    /// let response = try await task.value
    /// ```
    ///
    /// - Parameters:
    ///   - fileURL: of a regular file.
    ///   - endpoint: where to; its method has to be one with a body. Its own body is not sent.
    ///   - mimeType: for `Content-Type`, unless the endpoint's headers have one; nil goes by the file's extension.
    /// - Returns: `progress` keeps the newest value only, and ends with the transfer: with one that is complete if the task has a
    ///   value. `task` fails with ``NetworkError/uploadFailed(_:)`` if the file cannot be read or became shorter meanwhile, with
    ///   ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299, and else as any request.
    public func upload<E: Endpoint>(
        file fileURL: URL, to endpoint: E, mimeType: String? = nil
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        upload(.file(fileURL, mimeType: mimeType), to: endpoint)
    }

    /// Uploads a form with files, as it is now.
    ///
    /// - Parameters:
    ///   - formData: its type and boundary take the place of a `Content-Type` that the endpoint has.
    ///   - endpoint: where to; its method has to be one with a body. Its own body is not sent.
    /// - Returns: as ``upload(file:to:mimeType:)``. A file that has got another length, or is written to meanwhile, fails the task
    ///   with ``NetworkError/uploadFailed(_:)``.
    public func upload<E: Endpoint>(
        formData: MultipartFormData, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        upload(.multipart(formData), to: endpoint)
    }

    /// Uploads anything.
    ///
    /// - Returns: as ``upload(file:to:mimeType:)``.
    public func upload<E: Endpoint>(
        _ content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        UploadCall(client: self, content: content, lower: { [self] in try lower(endpoint) }).start()
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
    /// - Throws: a failure: see ``upload(file:to:mimeType:)``.
    public func upload<Value>(
        for request: Request<Value>, from data: Data, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await upload(for: request, .data(data), progress: progress)
    }

    /// Uploads a file as it is, streamed from the disk, and gives the answer.
    ///
    /// - Throws: a failure: see ``upload(file:to:mimeType:)``.
    public func upload<Value>(
        for request: Request<Value>, fromFile fileURL: URL, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await upload(for: request, .file(fileURL), progress: progress)
    }

    /// Uploads a form with files and gives the answer.
    ///
    /// - Throws: a failure: see ``upload(formData:to:)``.
    public func upload<Value>(
        for request: Request<Value>, from formData: MultipartFormData,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await upload(for: request, .multipart(formData), progress: progress)
    }

    /// Uploads bytes as the only file of a form and gives the answer, of the type that the caller names (seed 002).
    ///
    /// - Parameters:
    ///   - fileData: the content of the file.
    ///   - filename: its name.
    ///   - mimeType: its type.
    ///   - endpoint: where to, whatever its own ``Endpoint/Response`` is. Its method has to be one with a body.
    ///   - name: of the form's field.
    ///   - progress: see ``upload(for:from:progress:)-(_,Data,_)``.
    /// - Throws: a failure: see ``upload(formData:to:)``.
    public func upload<Value: Decodable & Sendable>(
        _ fileData: Data, filename: String, mimeType: String, to endpoint: some Endpoint, name: String = "file",
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkFailure) -> Value {
        let formData = MultipartFormData()
        formData.append(data: fileData, name: name, filename: filename, mimeType: mimeType)
        return try await UploadCall(
            client: self, content: .multipart(formData), lower: { [self] in try lower(endpoint) }
        )
        .send(progress: progress)
    }

    private func upload<Value>(
        for request: Request<Value>, _ content: UploadContent, progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(NetworkFailure) -> Value {
        try await UploadCall(
            client: self, content: content, options: options(for: request, cached: false),
            lower: { [self] in try lower(request) }
        ).send(progress: progress)
    }
}
