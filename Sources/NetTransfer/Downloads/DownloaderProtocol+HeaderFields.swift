public import NetCore

// Downloads, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension DownloaderProtocol {
    /// Downloads a file, and gives the response with where it is now, or with the error. Never throws.
    @_disfavoredOverload
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<URL> {
        await download(
            from: url, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler)
    }

    /// Downloads a file, and gives where it is now.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> URL {
        try await download(
            from: url, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler)
    }

    /// Goes on with a download, and gives the response with where the file is, or with the error. Never throws.
    @_disfavoredOverload
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<URL> {
        await resumeDownload(
            with: resumeData, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler)
    }

    /// Goes on with a download, and gives where the file is now.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> URL {
        try await resumeDownload(
            with: resumeData, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler)
    }

    /// Downloads a file, and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        download(
            from: url, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler, completion: completion)
    }

    /// Downloads a file, and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), queue: DispatchQueue,
        progressHandler: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        download(
            from: url, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            queue: queue, progressHandler: progressHandler, completion: completion)
    }

    /// Goes on with a download, and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@MainActor @Sendable (Double) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        resumeDownload(
            with: resumeData, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler, completion: completion)
    }

    /// Goes on with a download, and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), queue: DispatchQueue,
        progressHandler: (@Sendable (Double) -> Void)? = nil,
        completion: @escaping @Sendable (NetworkResponse<URL>) -> Void
    ) -> TransferTask<NetworkResponse<URL>> {
        resumeDownload(
            with: resumeData, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            queue: queue, progressHandler: progressHandler, completion: completion)
    }
}
