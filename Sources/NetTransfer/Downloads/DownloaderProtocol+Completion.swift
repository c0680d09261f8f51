public import NetCore

// The completion style. Without a queue progress and completion are called on the main actor and may touch the interface; with a queue
// they run there.
extension DownloaderProtocol {
    /// Downloads a file, and calls back on the main actor (seed 000).
    ///
    /// ```swift
    /// networking.download(
    ///     from: url, destinationURL: url,
    ///     progressHandler: { progress in print("→ \(Int(progress * 100)) %") },
    ///     completion: { (response: NetworkingResponse<URL>) in show(response.result) })
    /// ```
    ///
    /// - Parameters:
    ///   - url: from where.
    ///   - destinationURL: a file, or a folder (which then names the file as the server does); nil for a temporary place. The parent
    ///     folder has to be there.
    ///   - headers: of the request.
    ///   - options: how it is to be done.
    ///   - progressHandler: gets the part that is done, from 0 to 1. A slow one misses values, but not the last. It is not called if the
    ///     length is not known: ``download(_:to:options:)`` tells the bytes then.
    ///   - completion: called once, after the last progress. A program on Linux that blocks its main thread never gets there: give
    ///     a `queue` then.
    /// - Returns: the download, for ``pauseDownload(task:)`` and ``cancelDownload(task:)``; it may be ignored.
    @discardableResult
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        start(
            .url(url, headers: headers ?? HTTPHeaders()), DownloadDestination(destinationURL), options,
            progress: progressHandler, completion: completion)
    }

    /// Downloads a file, and calls back on a queue.
    @discardableResult
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: DownloadOptions = DownloadOptions(), queue: DispatchQueue,
        progressHandler: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        start(
            .url(url, headers: headers ?? HTTPHeaders()), DownloadDestination(destinationURL), options, queue,
            progress: progressHandler, completion: completion)
    }

    /// Goes on with a download, and calls back on the main actor (seed 000).
    ///
    /// - Parameters:
    ///   - resumeData: as ``pauseDownload(task:)`` or ``DownloadRegistry/Entry/resumeData`` gave it; with nil it fails.
    ///   - destinationURL: a file or a folder; nil for where it was to go before.
    ///   - headers: of the request, as in the beginning: they are not in the resume data.
    ///   - options: how it is to be done.
    ///   - progressHandler: gets the part that is done, from 0 to 1.
    ///   - completion: called once, after the last progress.
    @discardableResult
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        start(
            .resumeData(resumeData, headers), destinationURL.map { DownloadDestination($0) }, options,
            progress: progressHandler, completion: completion)
    }

    /// Goes on with a download, and calls back on a queue.
    @discardableResult
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: DownloadOptions = DownloadOptions(), queue: DispatchQueue,
        progressHandler: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        start(
            .resumeData(resumeData, headers), destinationURL.map { DownloadDestination($0) }, options, queue,
            progress: progressHandler, completion: completion)
    }

    private func start(
        _ source: DownloadSource, _ destination: DownloadDestination?, _ options: DownloadOptions,
        progress: (@MainActor @Sendable (Double) -> Void)?,
        completion: @escaping @MainActor @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        let onMain: (@Sendable (Double) -> Void)? = progress.map { progress in
            { @Sendable fraction in MainActor.assumeIsolated { progress(fraction) } }
        }
        return start(source, destination, options, .main, progress: onMain) { response in
            MainActor.assumeIsolated { completion(response) }
        }
    }

    private func start(
        _ source: DownloadSource, _ destination: DownloadDestination?, _ options: DownloadOptions,
        _ queue: DispatchQueue, progress: (@Sendable (Double) -> Void)?,
        completion: @escaping @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        let (stream, task) = download(source, to: destination, options: options)
        task.call(back: completion, on: queue, stream, progress: progress)
        return task
    }
}
