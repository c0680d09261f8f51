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
        let control = DownloadControl()
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
    public func unfinishedDownloads() -> [UnfinishedDownload] {
        registry?.unfinished() ?? []
    }

    /// - Parameter interpret: makes the task's value of what came of it.
    func start<Value: Sendable>(
        _ source: DownloadSource, to destination: DownloadDestination?, _ options: DownloadOptions,
        _ control: DownloadControl = DownloadControl(),
        _ interpret: @escaping @Sendable (Result<DownloadedFile, any Error>) throws -> Value
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        let reporter = ProgressReporter(clock: client.clock)
        let pausing = TransferPausing(pause: { control.pause() }, resume: { control.resume() })
        let task = TransferTask(pausing: pausing) { [self] in
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
        _ control: DownloadControl, _ reporter: ProgressReporter
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
        let control: DownloadControl
        /// Held, so that no other task has its address meanwhile. Nil until it is made.
        var task: TransferTask<NetworkResponse<URL>>?
    }

    private let entries = Locked((last: UInt64(0), all: [UInt64: Entry]()))

    var tasks: [TransferTask<NetworkResponse<URL>>] { entries.withLock { $0.all.values.compactMap(\.task) } }

    func add(_ control: DownloadControl) -> UInt64 {
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

    func control(of task: TransferTask<NetworkResponse<URL>>) -> DownloadControl? {
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
