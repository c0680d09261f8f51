public import NetClient
public import NetCore

/// Downloads through a ``NetworkClient``: with its interceptors, retry policy and transport, but without its cache.
///
/// ```swift
/// let downloader = Downloader(client: client, connectionMonitor: ConnectionMonitor.shared)
/// let file = try await downloader.download(from: url) as URL
/// ```
public final class Downloader: DownloaderProtocol {
    private let client: NetworkClient
    private let registry: DownloadRegistry?
    private let connectionMonitor: (any ConnectionMonitoring)?
    /// The downloads that have not ended. A task is nil until it is made.
    private let active = Locked<[ObjectIdentifier: Active]>([:])

    private typealias Active = (control: TransferControl, task: TransferTask<NetworkResponse<URL>>?)

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - client: sends the requests.
    ///   - registry: stores unfinished downloads for later processes. Without one, a failed download leaves nothing behind.
    ///   - connectionMonitor: refuses downloads while the device is offline, and wakes downloads that wait. With nil, neither happens.
    public init(
        client: NetworkClient, registry: DownloadRegistry? = .standard,
        connectionMonitor: (any ConnectionMonitoring)? = nil
    ) {
        self.client = client
        self.registry = registry
        self.connectionMonitor = connectionMonitor
    }

    /// Starts a download: see ``DownloaderProtocol``.
    public func download(
        _ source: Downloader.Source, to destination: Downloader.Destination? = nil,
        options: Downloader.Options = Downloader.Options()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<URL>>) {
        let control = TransferControl()
        let id = ObjectIdentifier(control)
        active.withLock { $0[id] = (control, nil) }
        let (progress, task) = start(source, to: destination, options, control) { [active, client] result in
            active.withLock { $0[id] = nil }
            return NetworkResponse(result, timestamp: client.clock.now)
        }
        // Has no effect if the download has ended.
        active.withLock { $0[id]?.task = task }
        return (progress, task)
    }

    /// Stops a download so that it can be resumed: see ``DownloaderProtocol/pauseDownload(task:)``.
    public func pauseDownload(task: TransferTask<NetworkResponse<URL>>) async -> Data? {
        guard let control = active.withLock({ $0.values.first { $0.task === task }?.control }) else { return nil }
        control.stop()
        _ = await task.outcome
        return control.resumeData
    }

    /// Cancels all downloads of this downloader, and removes their bytes.
    public func cancelAllDownloads() {
        for download in active.withLock({ Array($0.values) }) { download.task?.cancel() }
    }

    /// Returns the downloads of this and earlier processes that can be resumed, including running ones. See
    /// ``DownloadRegistry/unfinished()``, which reads the disk.
    public func unfinishedDownloads() -> [DownloadRegistry.Entry] { registry?.unfinished() ?? [] }

    /// - Parameter interpret: makes the task's value from the result.
    func start<Value: Sendable>(
        _ source: Downloader.Source, to destination: Downloader.Destination?, _ options: Downloader.Options,
        _ control: TransferControl = TransferControl(),
        _ interpret: @escaping @Sendable (Result<DownloadedFile, any Error>) throws -> Value
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        let reporter = ProgressReporter(clock: client.clock)
        let task = TransferTask(pausing: control.pausing) { [self] in
            defer { reporter.end() }
            do {
                var record: DownloadRecord?
                let call = try client.build {
                    let made = try source.make()
                    record = made.record
                    return made.call
                }
                let run = try DownloadRun(
                    client: client, call: call, record: record, destination: destination, options: options,
                    registry: registry, monitor: connectionMonitor, control: control, reporter: reporter)
                let file = try await run.run()
                reporter.finish()
                return try interpret(.success(file))
            } catch {
                return try interpret(.failure(error))
            }
        }
        return (reporter.stream, task)
    }
}

extension NetworkResponse<URL> {
    fileprivate init(_ result: Result<DownloadedFile, any Error>, timestamp: Date) {
        switch result {
        case .success(let file):
            self.init(request: file.response?.request, head: file.response, data: nil, result: .success(file.url))
        case .failure(let error): self.init(NetworkFailure(wrapping: error, request: nil, timestamp: timestamp))
        }
    }
}

// Downloads of endpoints and of plain URLs.
extension NetworkClient {
    /// Downloads an endpoint's response to a file, with the guarantees of ``DownloaderProtocol/download(_:to:options:)``. It starts at once.
    public func download<E: Endpoint>(
        from endpoint: E, to destination: URL?, options: Downloader.Options
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        download(from: endpoint, to: destination, options: options, registry: .standard)
    }

    /// Downloads an endpoint's response to a file. It starts at once.
    ///
    /// The other parameters and the result are those of ``TransferClientProtocol/download(from:to:options:)``. The `registry` stores an
    /// unfinished download for later processes. Without one, a failed download leaves nothing behind.
    public func download(
        from endpoint: some Endpoint, to destination: URL?, options: Downloader.Options = Downloader.Options(),
        registry: DownloadRegistry?
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        Downloader(client: self, registry: registry).start(
            Downloader.Source { [self] in (try call(for: endpoint), nil) }, to: Downloader.Destination(destination),
            options
        ) { try $0.get().url }
    }

    /// Downloads a file. It starts at once. The other parameters are those of ``download(from:to:options:registry:)-(Endpoint,_,_,_)``.
    public func download(
        from url: URL, to destination: URL?, options: Downloader.Options = Downloader.Options(),
        registry: DownloadRegistry? = .standard
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        Downloader(client: self, registry: registry)
            .start(.url(url), to: Downloader.Destination(destination), options) { try $0.get().url }
    }

    /// Downloads a file to a new temporary folder. Returns the file's URL. The caller owns file and folder.
    ///
    /// - Parameters:
    ///   - url: the URL of the file.
    ///   - progress: called with the completed fraction, from 0 to 1, on the main actor. It is not called if the length is unknown.
    /// - Throws: ``NetworkFailure``. Cancelling the task that waits stops the download.
    public func download(
        from url: URL, progress: (@MainActor @Sendable (Double) -> Void)? = nil
    ) async throws(NetworkFailure) -> URL {
        let (stream, task) = Downloader(client: self).download(.url(url), to: .temporary)
        return try await task.response(stream) { await progress?($0) }.getOrFailure()
    }
}
