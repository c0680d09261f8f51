public import NetClient
public import NetCore

/// What a service that transfers files needs of a client, so that a test can give it another.
public protocol TransferClientProtocol: NetworkClientProtocol {
    /// Uploads anything: a file, a form with files, bytes. It starts at once.
    ///
    /// - Parameters:
    ///   - content: what is sent.
    ///   - endpoint: where to; its method has to be one with a body. Its own body is not sent.
    /// - Returns: `progress` keeps the newest value only, and ends with the transfer: with one that is complete if the task has a
    ///   value. `task` fails with ``NetworkError/uploadFailed(_:)`` if a file cannot be read, or became another meanwhile, with
    ///   ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299, and else as any request.
    @_disfavoredOverload
    func upload<E: Endpoint>(
        _ content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>)

    /// Uploads anything, and decodes the answer on the main actor. A double need not write it: by default the answer is made as
    /// ``upload(_:to:)`` makes it.
    @MainActor
    func upload<E: Endpoint, Response: Decodable>(
        onMainActor content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response

    /// Downloads what an endpoint answers to a file. It starts at once.
    ///
    /// - Parameters:
    ///   - endpoint: whatever its ``Endpoint/Response`` is. Only a GET without a body can go on after its connection dropped.
    ///   - destination: a file, or a folder (which then names the file as the server does); nil for a temporary place.
    ///   - options: how it is to be done.
    /// - Returns: `progress` keeps the newest value only, and ends with the transfer. `task` can be paused; its value is where the file is.
    ///   It fails with ``NetworkError/downloadFailed(_:)`` and a ``DownloadError``, or as any request.
    func download<E: Endpoint>(
        from endpoint: E, to destination: URL?, options: DownloadOptions
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>)
}

extension TransferClientProtocol {
    /// Downloads what an endpoint answers to a file, in the usual way (seed 003). See ``download(from:to:options:)``.
    ///
    /// ```swift
    /// let (progress, task) = client.download(from: GetUserEndpoint(id: "1"), to: url)
    /// for await update in progress { print(update) }  // 50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s
    /// let savedURL = try await task.value
    /// ```
    public func download(
        from endpoint: some Endpoint, to destination: URL?
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        download(from: endpoint, to: destination, options: DownloadOptions())
    }
}

extension TransferClientProtocol {
    /// Uploads a file as it is, streamed from the disk (seed 003).
    ///
    /// ```swift
    /// let (progress, task) = client.upload(file: url, to: UploadEndpoint())
    /// for await update in progress { print(update) }  // 50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s
    /// let response = try await task.value
    /// ```
    ///
    /// A file that becomes longer meanwhile is sent as long as it was; one that becomes shorter fails the upload.
    ///
    /// - Parameters:
    ///   - fileURL: of a regular file.
    ///   - endpoint: where to.
    ///   - mimeType: for `Content-Type`, unless the endpoint's headers have one; nil goes by the file's extension.
    /// - Returns: as ``upload(_:to:)``.
    public func upload<E: Endpoint, Response: Decodable & Sendable>(
        file fileURL: URL, to endpoint: E, mimeType: String? = nil
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(.file(fileURL, mimeType: mimeType), to: endpoint)
    }

    /// Uploads a file as it is, streamed from the disk, and decodes the answer on the main actor.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        file fileURL: URL, to endpoint: E, mimeType: String? = nil
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(.file(fileURL, mimeType: mimeType), to: endpoint)
    }

    /// Uploads a form with files, as it is now (seed 003).
    ///
    /// A file that has got another length, or is written to while it is sent, fails the upload.
    ///
    /// - Parameters:
    ///   - formData: its type and boundary take the place of a `Content-Type` that the endpoint has.
    ///   - endpoint: where to.
    /// - Returns: as ``upload(_:to:)``.
    public func upload<E: Endpoint, Response: Decodable & Sendable>(
        formData: MultipartFormData, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(.multipart(formData), to: endpoint)
    }

    /// Uploads a form with files, as it is now, and decodes the answer on the main actor.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        formData: MultipartFormData, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(.multipart(formData), to: endpoint)
    }

    /// Uploads anything: a file, a form with files, bytes. It starts at once. The answer is decoded off the main actor.
    public func upload<E: Endpoint, Response: Decodable & Sendable>(
        _ content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        start(content, endpoint)
    }

    /// Uploads anything, and decodes the answer on the main actor.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        _ content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(onMainActor: content, to: endpoint)
    }

    /// The answer as ``upload(_:to:)`` makes it.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        onMainActor content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        start(content, endpoint)
    }

    /// The requirement: for an answer of which no more is known, there is nothing else.
    private func start<E: Endpoint>(
        _ content: UploadContent, _ endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        upload(content, to: endpoint)
    }
}
