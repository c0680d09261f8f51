public import NetClient
public import NetCore

/// A client that transfers files. A service that depends on this protocol can be tested with another client.
public protocol TransferClientProtocol: NetworkClientProtocol {
    /// Uploads a file, a form, bytes or another body. It starts at once.
    ///
    /// - Parameters:
    ///   - content: the content to send.
    ///   - endpoint: the target, with a method that has a body. Its own body is not sent.
    /// - Returns: `progress` keeps only the newest value, and ends with the transfer; the last value is complete if the upload succeeds.
    ///   `task` fails with ``NetworkError/uploadFailed(_:)`` if a file cannot be read or has changed,
    ///   ``NetworkError/requestFailed(statusCode:data:)`` for a status outside of 200 to 299, or the error of a request.
    @_disfavoredOverload
    func upload<E: Endpoint>(
        _ content: Uploader.Content, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>)

    /// Uploads any content, and decodes the response on the main actor. By default it calls ``upload(_:to:)``, so a test double need not
    /// implement it.
    @MainActor
    func upload<E: Endpoint, Response: Decodable>(
        onMainActor content: Uploader.Content, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response

    /// Downloads an endpoint's response to a file. It starts at once.
    ///
    /// - Parameters:
    ///   - endpoint: an endpoint with any ``Endpoint/Response``. Only a GET without a body can resume after a lost connection.
    ///   - destination: a file; a folder, in which the file gets the server's name for it; or nil for a temporary folder.
    ///   - options: options of the download.
    /// - Returns: `progress` keeps only the newest value, and ends with the transfer. `task` can be paused, and returns the file's URL. It
    ///   fails with ``NetworkError/downloadFailed(_:)`` and a ``DownloadError``, or with the error of the request.
    func download<E: Endpoint>(
        from endpoint: E, to destination: URL?, options: Downloader.Options
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>)
}

extension TransferClientProtocol {
    /// Downloads an endpoint's response to a file, with the default options. See ``download(from:to:options:)``.
    ///
    /// ```swift
    /// let (progress, task) = client.download(from: GetUserEndpoint(id: "1"), to: url)
    /// for await update in progress { print(update) }  // 50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s
    /// let savedURL = try await task.value
    /// ```
    public func download(
        from endpoint: some Endpoint, to destination: URL?
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        download(from: endpoint, to: destination, options: Downloader.Options())
    }

    /// Uploads a file, streamed from the disk.
    ///
    /// ```swift
    /// let (progress, task) = client.upload(file: url, to: UploadEndpoint())
    /// for await update in progress { print(update) }  // 50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s
    /// let response = try await task.value
    /// ```
    ///
    /// If the file grows meanwhile, the upload sends its earlier length. If it shrinks, the upload fails.
    ///
    /// - Parameters:
    ///   - fileURL: a regular file.
    ///   - endpoint: the target.
    ///   - mimeType: the `Content-Type`, unless the endpoint's headers have one. Nil derives it from the file's extension.
    /// - Returns: as ``upload(_:to:)``.
    public func upload<E: Endpoint, Response: Decodable & Sendable>(
        file fileURL: URL, to endpoint: E, mimeType: String? = nil
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(.file(fileURL, mimeType: mimeType), to: endpoint)
    }

    /// Uploads a file, streamed from the disk, and decodes the response on the main actor.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        file fileURL: URL, to endpoint: E, mimeType: String? = nil
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(.file(fileURL, mimeType: mimeType), to: endpoint)
    }

    /// Uploads a form with files, with the parts that it has now.
    ///
    /// If the length of a file has changed, or the file is written meanwhile, the upload fails.
    ///
    /// - Parameters:
    ///   - formData: the form. Its `Content-Type` replaces the endpoint's.
    ///   - endpoint: the target.
    /// - Returns: as ``upload(_:to:)``.
    public func upload<E: Endpoint, Response: Decodable & Sendable>(
        formData: MultipartFormData, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(.multipart(formData), to: endpoint)
    }

    /// Uploads a form with files, with its present parts, and decodes the response on the main actor.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        formData: MultipartFormData, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(.multipart(formData), to: endpoint)
    }

    /// Uploads any content. It starts at once, and decodes the response off the main actor.
    public func upload<E: Endpoint, Response: Decodable & Sendable>(
        _ content: Uploader.Content, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        start(content, endpoint)
    }

    /// Uploads any content, and decodes the response on the main actor.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        _ content: Uploader.Content, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        upload(onMainActor: content, to: endpoint)
    }

    /// Calls ``upload(_:to:)``.
    @MainActor
    public func upload<E: Endpoint, Response: Decodable>(
        onMainActor content: Uploader.Content, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Response>) where E.Response == Response {
        start(content, endpoint)
    }

    /// Calls the requirement, the only overload for a response of any type.
    private func start<E: Endpoint>(
        _ content: Uploader.Content, _ endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) { upload(content, to: endpoint) }
}
