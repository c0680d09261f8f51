public import NetCore

// The async styles: one returns a `NetworkResponse`, the other returns the file or throws. Cancelling the waiting task stops the download for good.
extension DownloaderProtocol {
    /// Downloads a file. Returns the response, with the file's URL or the error.
    ///
    /// - Parameters:
    ///   - url: the URL of the file.
    ///   - destinationURL: a file; a folder, where the file gets the server's name; or nil for a temporary folder. The parent folder has to exist.
    ///   - headers: header fields of the request.
    ///   - options: options of the download.
    ///   - progressHandler: called with the completed fraction, from 0 to 1, off the main thread. It is not called after the return, and
    ///     not at all if the length is unknown; ``download(_:to:options:)`` reports bytes then.
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: Downloader.Options = Downloader.Options(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<URL> {
        let (stream, task) = download(.url(url, headers), to: Downloader.Destination(destinationURL), options: options)
        return await task.response(stream, progress: progressHandler)
    }

    /// Downloads a file. Returns the file's URL.
    ///
    /// - Throws: ``NetworkError/downloadFailed(_:)`` with a ``DownloadError``, or the error of the request.
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: Downloader.Options = Downloader.Options(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> URL {
        let (stream, task) = download(.url(url, headers), to: Downloader.Destination(destinationURL), options: options)
        return try await task.response(stream, progress: progressHandler).get()
    }

    /// Resumes a download. Returns the file's URL.
    ///
    /// - Parameters:
    ///   - resumeData: the data from ``pauseDownload(task:)`` or ``DownloadRegistry/Entry/resumeData``. The download fails if it is nil.
    ///   - destinationURL: a file or a folder, or nil for the earlier destination.
    ///   - headers: header fields of the request. The resume data contains none.
    ///   - options: options of the download.
    ///   - progressHandler: called with the completed fraction, from 0 to 1, off the main thread.
    /// - Throws: as `download(from:destinationURL:headers:options:progressHandler:)`, with the code
    ///   ``DownloadError/Code/invalidResumeData`` for invalid resume data.
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: Downloader.Options = Downloader.Options(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> URL {
        let destination = destinationURL.map { Downloader.Destination($0) }
        let (stream, task) = download(.resumeData(resumeData, headers), to: destination, options: options)
        return try await task.response(stream, progress: progressHandler).get()
    }
}

// The completion style. Without a queue, progress and completion are called on the main actor; with a queue, on that.
extension DownloaderProtocol {
    /// Downloads a file, and calls back on the main actor.
    ///
    /// ```swift
    /// networking.download(
    ///     from: url, destinationURL: url,
    ///     progressHandler: { progress in print("→ \(Int(progress * 100)) %") },
    ///     completion: { (response: NetworkingResponse<URL>) in print(response.result) })
    /// ```
    ///
    /// The first parameters are those of `download(from:destinationURL:headers:options:progressHandler:)`.
    ///
    /// `progressHandler` is called with the completed fraction, from 0 to 1. A slow one misses values, but not the last. It is not called if
    /// the length is unknown; ``download(_:to:options:)`` reports bytes then. `completion` is called once, after the last progress. On Linux, a
    /// program that blocks its main thread has to give a `queue`.
    ///
    /// - Returns: the download, for ``pauseDownload(task:)`` and ``cancelDownload(task:)``.
    @discardableResult
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: Downloader.Options = Downloader.Options(),
        progressHandler: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        let (stream, task) = download(.url(url, headers), to: Downloader.Destination(destinationURL), options: options)
        return task.call(back: completion, stream, progress: progressHandler)
    }

    /// Downloads a file, and calls back on a queue.
    @discardableResult
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: Downloader.Options = Downloader.Options(), queue: DispatchQueue,
        progressHandler: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        let (stream, task) = download(.url(url, headers), to: Downloader.Destination(destinationURL), options: options)
        return task.call(back: completion, on: queue, stream, progress: progressHandler)
    }

    /// Resumes a download, and calls back on the main actor: see ``resumeDownload(with:destinationURL:headers:options:progressHandler:)``.
    /// `completion` is called once, after the last progress.
    @discardableResult
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: Downloader.Options = Downloader.Options(),
        progressHandler: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        let destination = destinationURL.map { Downloader.Destination($0) }
        let (stream, task) = download(.resumeData(resumeData, headers), to: destination, options: options)
        return task.call(back: completion, stream, progress: progressHandler)
    }
}

extension Downloader.Source {
    fileprivate static func url(_ url: URL, _ headers: HTTPHeaders?) -> Downloader.Source {
        .url(url, headers: headers ?? HTTPHeaders())
    }

    /// With empty resume data the download fails.
    fileprivate static func resumeData(_ data: Data?, _ headers: HTTPHeaders?) -> Downloader.Source {
        .resumeData(data ?? Data(), headers: headers ?? HTTPHeaders())
    }
}
