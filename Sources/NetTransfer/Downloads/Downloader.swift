public import NetClient
public import NetCore

/// Downloads through a ``NetworkClient`` (seed 000): so through its interceptors, its retry policy and its transport, but past its cache.
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

    /// A downloader.
    ///
    /// - Parameters:
    ///   - client: sends.
    ///   - registry: keeps unfinished downloads for the next process. With nil a download that fails leaves nothing behind.
    ///   - connectionMonitor: refuses downloads while the device is offline, and tells those that wait when it is back; nil never does.
    ///   - partition: names the user whose credentials go along: see ``RequestContext/partition``.
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

    /// Ends all downloads that were started here, and removes what has arrived of them.
    public func cancelAllDownloads() {
        for task in active.tasks { task.cancel() }
    }

    /// The downloads that were begun, here or in a process that has ended since, and can be resumed. Those that are running are among
    /// them. See ``DownloadRegistry/unfinished()``, which reads the disk.
    public func unfinishedDownloads() -> [DownloadRegistry.Entry] {
        registry?.unfinished() ?? []
    }

    /// - Parameter interpret: makes the task's value of what came of it.
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
        case .request(var callOptions, let lower):
            callOptions.partition = callOptions.partition ?? partition()
            call = try client.prepared(callOptions, lower: lower)
        case .resumption(let data, let headers):
            let found: DownloadRecord
            do {
                found = try DownloadRecord(data: data)
            } catch {
                throw NetworkError.downloadFailed(error)
            }
            record = found
            var callOptions = CallOptions()
            callOptions.partition = partition()
            call = try client.prepared(callOptions) {
                var builder = RequestBuilder(url: found.url)
                builder.headers = headers
                return builder
            }
        }
        return try DownloadRun(
            client: client, call: call, record: record, destination: destination, options: options,
            registry: registry, monitor: connectionMonitor, control: control, reporter: reporter)
    }
}

/// The downloads of one downloader that have not ended.
private final class ActiveDownloads: Sendable {
    private struct Entry {
        let control: TransferControl
        /// Held, so that no other task has its address meanwhile. Nil until it is made.
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

    /// It may have ended by now.
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
    /// What came of a download.
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
