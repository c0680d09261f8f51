public import NetCore

// Downloads with headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension DownloaderProtocol {
    /// Downloads a file. Returns the response, with the file's URL or the error.
    @_disfavoredOverload
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<URL> {
        await download(
            from: url, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler)
    }

    /// Downloads a file. Returns the file's URL, or throws the error.
    @_disfavoredOverload
    public func download(
        from url: URL, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async throws(NetworkError) -> URL {
        try await download(
            from: url, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler)
    }

    /// Resumes a download. Returns the response, with the file's URL or the error.
    @_disfavoredOverload
    public func resumeDownload(
        with resumeData: Data?, destinationURL: URL? = nil, headers: some Sequence<(key: String, value: String)>,
        options: DownloadOptions = DownloadOptions(), progressHandler: (@Sendable (Double) -> Void)? = nil
    ) async -> NetworkResponse<URL> {
        await resumeDownload(
            with: resumeData, destinationURL: destinationURL, headers: HTTPHeaders(fields: headers), options: options,
            progressHandler: progressHandler)
    }

    /// Resumes a download. Returns the file's URL, or throws the error.
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

    /// Resumes a download, and calls back on the main actor.
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

    /// Resumes a download, and calls back on a queue.
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

extension DownloadSource {
    /// A file at a URL.
    @_disfavoredOverload
    public static func url(_ url: URL, headers: some Sequence<(key: String, value: String)>) -> DownloadSource {
        .url(url, headers: HTTPHeaders(fields: headers))
    }

    /// The missing rest of a download.
    @_disfavoredOverload
    public static func resumeData(
        _ data: Data, headers: some Sequence<(key: String, value: String)>
    ) -> DownloadSource {
        .resumeData(data, headers: HTTPHeaders(fields: headers))
    }
}
