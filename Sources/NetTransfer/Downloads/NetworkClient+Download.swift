public import NetClient
public import NetCore

// Downloads of endpoints (seed 003), and of plain URLs (seed 002).
extension NetworkClient {
    /// Downloads what an endpoint answers to a file. It starts at once. See ``DownloaderProtocol/download(_:to:options:)`` for what is
    /// promised of the file.
    public func download<E: Endpoint>(
        from endpoint: E, to destination: URL?, options: DownloadOptions
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        download(from: endpoint, to: destination, options: options, registry: .standard)
    }

    /// Downloads what an endpoint answers to a file. It starts at once.
    ///
    /// - Parameters:
    ///   - endpoint: whatever its ``Endpoint/Response`` is. Only a GET without a body can go on after its connection dropped.
    ///   - destination: a file, or a folder (which then names the file as the server does); nil for a temporary place.
    ///   - options: how it is to be done.
    ///   - registry: keeps it for the next process, if it does not come to its end. With nil it leaves nothing behind.
    /// - Returns: `progress` keeps the newest value only, and ends with the transfer. `task` can be paused; its value is where the file is.
    ///   It fails with ``NetworkError/downloadFailed(_:)`` and a ``DownloadError``, or as any request.
    public func download(
        from endpoint: some Endpoint, to destination: URL?, options: DownloadOptions = DownloadOptions(),
        registry: DownloadRegistry?
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        Downloader(client: self, registry: registry).start(
            .request { [self] in try lower(endpoint) }, to: DownloadDestination(destination), options
        ) { try $0.get().url }
    }

    /// Downloads a file. It starts at once. The other parameters are those of ``download(from:to:options:registry:)-(Endpoint,_,_,_)``.
    public func download(
        from url: URL, to destination: URL?, options: DownloadOptions = DownloadOptions(),
        registry: DownloadRegistry? = .standard
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        Downloader(client: self, registry: registry)
            .start(.url(url), to: DownloadDestination(destination), options) { try $0.get().url }
    }

    /// Downloads a file to a temporary place, and gives where it is (seed 002). File and folder are the caller's.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - progress: gets the part that is done, from 0 to 1, on the main actor. It is not called if the length is not known.
    /// - Throws: a failure. Cancelling the task that waits stops the download.
    public func download(
        from url: URL, progress: @escaping @MainActor @Sendable (Double) -> Void
    ) async throws(NetworkFailure) -> URL {
        let (stream, task) = Downloader(client: self).download(.url(url), to: .temporary)
        let response = await task.response(stream) { await progress($0) }
        if let failure = response.failure { throw failure }
        do {
            return try response.get()
        } catch {
            throw NetworkFailure(cause: error)
        }
    }
}
