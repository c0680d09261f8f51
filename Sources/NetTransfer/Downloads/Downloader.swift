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
    private let partition: @Sendable () -> String?
    private let active = ActiveDownloads()

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - client: sends the requests.
    ///   - registry: stores unfinished downloads for later processes. Without one, a failed download leaves nothing behind.
    ///   - connectionMonitor: refuses downloads while the device is offline, and wakes downloads that wait. With nil, neither happens.
    ///   - partition: names the user whose credentials are sent: see ``RequestContext/partition``.
    public init(
        client: NetworkClient, registry: DownloadRegistry? = .standard,
        connectionMonitor: (any ConnectionMonitoring)? = nil, partition: @escaping @Sendable () -> String? = { nil }
    ) {
        self.client = client
        self.registry = registry
        self.connectionMonitor = connectionMonitor
        self.partition = partition
    }

    /// Starts a download: see ``DownloaderProtocol``.
    public func download(
        _ source: DownloadSource, to destination: DownloadDestination? = nil,
        options: DownloadOptions = DownloadOptions()
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<URL>>) {
        let control = TransferControl()
        let number = active.add(control)
        let (progress, task) = start(source, to: destination, options, control) { [active, client] result in
            active.remove(number)
            return NetworkResponse(result, timestamp: client.clock.now)
        }
        active.set(task, for: number)
        return (progress, task)
    }

    /// Stops a download so that it can be resumed: see ``DownloaderProtocol/pauseDownload(task:)``.
    public func pauseDownload(task: TransferTask<NetworkResponse<URL>>) async -> Data? {
        guard let control = active.control(of: task) else { return nil }
        control.stop()
        _ = await task.outcome
        return control.resumeData
    }

    /// Cancels all downloads of this downloader, and removes their bytes.
    public func cancelAllDownloads() {
        for task in active.tasks { task.cancel() }
    }

    /// Returns the downloads of this and earlier processes that can be resumed, including running ones. See
    /// ``DownloadRegistry/unfinished()``, which reads the disk.
    public func unfinishedDownloads() -> [DownloadRegistry.Entry] {
        registry?.unfinished() ?? []
    }

    /// - Parameter interpret: makes the task's value from the result.
    func start<Value: Sendable>(
        _ source: DownloadSource, to destination: DownloadDestination?, _ options: DownloadOptions,
        _ control: TransferControl = TransferControl(),
        _ interpret: @escaping @Sendable (Result<DownloadedFile, any Error>) throws -> Value
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        let reporter = ProgressReporter(clock: client.clock)
        let task = TransferTask(pausing: control.pausing) { [self] in
            defer { reporter.end() }
            do {
                let file = try await run(source, destination, options, control, reporter).run()
                reporter.finish()
                return try interpret(.success(file))
            } catch {
                return try interpret(.failure(error))
            }
        }
        return (reporter.stream, task)
    }

    private func run(
        _ source: DownloadSource, _ destination: DownloadDestination?, _ options: DownloadOptions,
        _ control: TransferControl, _ reporter: ProgressReporter
    ) throws -> DownloadRun {
        let call: PreparedCall
        var record: DownloadRecord?
        switch source.kind {
        case .request(let make):
            call = try client.prepared {
                var call = try make()
                call.partition = call.partition ?? partition()
                return call
            }
        case .resumption(let data, let headers):
            let found: DownloadRecord
            do {
                found = try DownloadRecord(data: data)
            } catch {
                throw NetworkError.downloadFailed(error)
            }
            record = found
            call = try client.prepared {
                var call = Call(url: found.url)
                call.headers = headers
                call.partition = partition()
                return call
            }
        }
        return try DownloadRun(
            client: client, call: call, record: record, destination: destination, options: options,
            registry: registry, monitor: connectionMonitor, control: control, reporter: reporter)
    }
}

/// The downloads of a downloader that have not ended.
private final class ActiveDownloads: Sendable {
    private struct Entry {
        let control: TransferControl
        /// Nil until it is made. It is held, so that no other task gets its address.
        var task: TransferTask<NetworkResponse<URL>>?
    }

    private let entries = Locked((last: UInt64(0), all: [UInt64: Entry]()))

    var tasks: [TransferTask<NetworkResponse<URL>>] { entries.withLock { $0.all.values.compactMap(\.task) } }

    func add(_ control: TransferControl) -> UInt64 {
        entries.withLock { entries in
            entries.last += 1
            entries.all[entries.last] = Entry(control: control)
            return entries.last
        }
    }

    /// Has no effect if the download has ended.
    func set(_ task: TransferTask<NetworkResponse<URL>>, for number: UInt64) {
        entries.withLock { $0.all[number]?.task = task }
    }

    func remove(_ number: UInt64) {
        _ = entries.withLock { $0.all.removeValue(forKey: number) }
    }

    func control(of task: TransferTask<NetworkResponse<URL>>) -> TransferControl? {
        entries.withLock { entries in entries.all.values.first { $0.task === task }?.control }
    }
}

extension NetworkResponse<URL> {
    /// Creates the response of a download.
    fileprivate init(_ result: Result<DownloadedFile, any Error>, timestamp: Date) {
        switch result {
        case .success(let file):
            if let head = file.response {
                self.init(request: head.request, head: head, data: nil, result: .success(file.url))
            } else {
                self.init(request: nil, response: nil, data: nil, result: .success(file.url))
            }
        case .failure(let error):
            let failure = NetworkFailure(wrapping: error, request: nil, timestamp: timestamp)
            self.init(request: nil, response: nil, data: nil, result: .failure(failure.cause), failure: failure)
        }
    }
}

// Downloads of endpoints and of plain URLs.
extension NetworkClient {
    /// Downloads an endpoint's response to a file. It starts at once. See ``DownloaderProtocol/download(_:to:options:)`` for the
    /// guarantees.
    public func download<E: Endpoint>(
        from endpoint: E, to destination: URL?, options: DownloadOptions
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        download(from: endpoint, to: destination, options: options, registry: .standard)
    }

    /// Downloads an endpoint's response to a file. It starts at once.
    ///
    /// - Parameters:
    ///   - endpoint: an endpoint with any ``Endpoint/Response``. Only a GET without a body can resume after a lost connection.
    ///   - destination: a file; a folder, in which the file gets the server's name for it; or nil for a temporary folder.
    ///   - options: options of the download.
    ///   - registry: stores an unfinished download for later processes. Without one, a failed download leaves nothing behind.
    /// - Returns: `progress` keeps only the newest value, and ends with the transfer. `task` can be paused, and returns the file's URL. It
    ///   fails with ``NetworkError/downloadFailed(_:)`` and a ``DownloadError``, or with the error of the request.
    public func download(
        from endpoint: some Endpoint, to destination: URL?, options: DownloadOptions = DownloadOptions(),
        registry: DownloadRegistry?
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        Downloader(client: self, registry: registry).start(
            .request { [self] in try call(for: endpoint) }, to: DownloadDestination(destination), options
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
        let response = await task.response(stream) { await progress?($0) }
        if let failure = response.failure { throw failure }
        do {
            return try response.get()
        } catch {
            throw NetworkFailure(cause: error)
        }
    }
}
