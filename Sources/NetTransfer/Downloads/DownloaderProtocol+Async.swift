public import NetCore

// The async styles: one that gives a `NetworkResponse` and never throws, one that gives the file or throws. Cancelling the task that
// waits stops the download for good.
extension DownloaderProtocol {
    /// Downloads a file, and gives the response with where it is now, or with the error. Never throws.
    ///
    /// - Parameters:
    ///   - url: from where.
    ///   - destinationURL: a file, or a folder (which then names the file as the server does); nil for a temporary place. The parent
    ///     folder has to be there.
    ///   - headers: of the request.
    ///   - options: how it is to be done.
    ///   - progressHandler: gets the part that is done, from 0 to 1, off the main thread, and is not called after the return, nor at all if
    ///     the length is not known: ``download(_:to:options:)`` tells the bytes then.
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<URL> {
        await response(
            .url(url, headers: headers ?? HTTPHeaders()), DownloadDestination(destinationURL), options,
            progress: progressHandler)
    }

    /// Downloads a file, and gives where it is now.
    ///
    /// - Throws: what went wrong: ``NetworkError/downloadFailed(_:)`` with a ``DownloadError``, or as any request.
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> URL {
        try await response(
            .url(url, headers: headers ?? HTTPHeaders()), DownloadDestination(destinationURL), options,
            progress: progressHandler
        ).get()
    }

    /// Downloads a file to a temporary place, and gives where it is (seed 002). File and folder are the caller's.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - progress: gets the part that is done, from 0 to 1, on the main actor. It is not called if the length is not known.
    /// - Throws: as `download(from:destinationURL:headers:options:progressHandler:)`.
    public func download(
        from url: URL, progress: @escaping @MainActor @Sendable (Double) -> Void
    ) async throws(NetworkError) -> URL {
        try await response(.url(url), .temporary, DownloadOptions()) { await progress($0) }.get()
    }

    /// Goes on with a download, and gives the response with where the file is, or with the error. Never throws.
    ///
    /// - Parameters:
    ///   - resumeData: as ``pauseDownload(task:)`` or ``DownloadRegistry/Entry/resumeData`` gave it; with nil it fails.
    ///   - destinationURL: a file or a folder; nil for where it was to go before.
    ///   - headers: of the request, as in the beginning: they are not in the resume data.
    ///   - options: how it is to be done.
    ///   - progressHandler: gets the part that is done, from 0 to 1, off the main thread.
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<URL> {
        await response(
            .resumeData(resumeData, headers), destinationURL.map { DownloadDestination($0) }, options,
            progress: progressHandler)
    }

    /// Goes on with a download, and gives where the file is now.
    ///
    /// - Throws: what went wrong; ``DownloadError/Code/invalidResumeData`` for what is no resume data.
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: HTTPHeaders? = nil,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> URL {
        try await response(
            .resumeData(resumeData, headers), destinationURL.map { DownloadDestination($0) }, options,
            progress: progressHandler
        ).get()
    }

    private func response(
        _ source: DownloadSource, _ destination: DownloadDestination?, _ options: DownloadOptions,
        progress: (@Sendable (Double) async -> Void)?
    ) async -> NetworkResponse<URL> {
        let (stream, task) = download(source, to: destination, options: options)
        return await task.response(stream, progress: progress)
    }
}
