import NetClient
import NetCore

/// Runs one download: requests the missing bytes until the file is complete, checks it, and moves it to its destination.
actor DownloadRun {
    let client: NetworkClient
    let options: Downloader.Options
    let network: DownloadNetwork
    let control: TransferControl
    let reporter: ProgressReporter
    private let registry: DownloadRegistry?
    /// The request without the fields of ranges.
    private let call: BuiltCall
    let isResumable: Bool
    private let isResumed: Bool

    var record: DownloadRecord
    /// The file in which the bytes gather, once it is there.
    private(set) var file: UnfinishedFile?
    var parts: [FilePart] { file?.parts ?? [] }
    /// Whether this run owns the parts.
    private var isOpen = false
    /// The last response whose bytes were stored.
    var response: TransportResponse?
    /// Whether all bytes of a file of unknown length have arrived.
    var hasEnded = false
    var isLaterRound = false
    /// The number of responses that the bytes come from. With one, a failed check is not repeated, since it would fail again.
    var responseCount = 0

    /// The number of connections that the server has permitted so far.
    var connections = DownloadConnections.several
    /// How many of several connections have failed in the middle of a part.
    var brokenParts = 0
    /// Where the first of several connections stops: at the next part, or at the file's end if the others fail. Nil once it is there.
    var firstEnd: Int64?

    /// The largest number of bytes so far. More than that is progress.
    private var best: Int64 = 0
    /// The number of failures since the last progress.
    private var failures = 0
    /// The number of the first call of this round, or a lower one.
    private var roundCall: UInt64 = 0

    /// - Parameter record: the record of an earlier download that this one resumes.
    init(
        client: NetworkClient, call: BuiltCall, record: DownloadRecord?, destination: Downloader.Destination?,
        options: Downloader.Options, registry: DownloadRegistry?, monitor: (any ConnectionMonitoring)?,
        control: TransferControl, reporter: ProgressReporter
    ) throws {
        guard let url = call.request.url else { throw NetworkError.invalidURL }
        self.client = client
        self.call = call
        self.options = options
        self.control = control
        self.reporter = reporter
        network = DownloadNetwork(monitor, options, url: url)
        isResumable = call.request.httpMethod == "GET" && call.body == nil
        self.registry = isResumable ? registry : nil
        isResumed = record != nil
        if var record {
            record.destination = destination ?? record.destination
            record.existingFile = options.existingFile
            record.checksum = options.checksum ?? record.checksum
            self.record = record
        } else {
            let destination = destination ?? .temporary
            self.record = DownloadRecord(
                url: url, destination: destination, folder: destination.gatheringFolder, options: options)
        }
    }

    /// Runs the download to completion. Throws ``NetworkFailure``, or an error that becomes one; `CancellationError` also after a stop.
    func run() async throws -> DownloadedFile {
        // The caller may resume the download as soon as this returns.
        defer { file?.unlock() }
        do {
            try openParts()
            try record.destination.check(record.existingFile)
            try network.checkStart()
            let watch = network.watch { [control] in control.interrupt() }
            defer { watch?.cancel() }
            while true {
                roundCall = client.calls.nextCall
                do {
                    if try await control.run({ try await self.transfer() }) {
                        let url = try await finish()
                        forget()
                        return (url, response)
                    }
                } catch {
                    try await recover(from: error)
                }
            }
        } catch {
            let error = (error as? SystemError).map { DownloadError($0, at: record.gatheringPath) } ?? error
            await leave(after: error)
            throw error is DownloadError ? NetworkError.downloadFailed(error) : error
        }
    }

    // MARK: Recovery

    /// Returns if the download may continue, and throws the error that ends it.
    private func recover(from error: any Error) async throws {
        if control.wasPaused { await control.waitWhilePaused() }
        try Task.checkCancellation()
        if control.isStopped { throw CancellationError() }
        if control.wasPaused {
            guard isResumable else {
                throw NetworkError.unsupported("Only a download by GET without a body continues after a pause.")
            }
            if network.isUsable { return }
        }
        let failure = NetworkFailure(wrapping: error, request: nil)
        let isCancelled = failure.cause == .cancelled
        // The client was told to cancel its calls, or to shut down.
        if isCancelled, !control.wasPaused, !control.wasInterrupted { throw error }
        // Another network would not change these.
        if error is DownloadError || error is SystemError { throw error }
        if case .requestFailed = failure.cause, !failure.isRetryable { throw error }
        if !network.isUsable { return try await interruptible { try await self.network.wait(self.client.clock) } }
        // The network is back already.
        if isCancelled, !isResumable { throw NetworkError.networkUnavailable }
        if isCancelled { return }
        noteBest()
        failures += 1
        if let error = error as? StartOver {
            if record.starts.count > 1 { connections = .one }
            // Once in any case: the bytes may be those of an older version.
            guard failures <= max(1, options.maxResumptions) else {
                throw DownloadError(.contradictoryResponse, "The server repeatedly sent \(error.reason).")
            }
            return try startOver()
        }
        // Before the first byte, the client's retry policy applies.
        guard failure.isRetryable, isResumable, best > 0, failures <= options.maxResumptions else { throw error }
        let delay = options.resumptionDelay.seconds(for: failures - 1, random: Double.random(in: 0...1))
        try await interruptible { [clock = client.clock] in try await clock.sleep(for: delay) }
    }

    /// Waits. A pause, a stop, a lost network and ``NetworkClient/cancelAll()`` end the wait, and the next round handles the reason.
    private func interruptible(_ wait: @escaping @Sendable () async throws -> Void) async throws {
        do {
            try await control.run { [client, roundCall] in try await client.calls.run(for: roundCall, wait) }
        } catch is CancellationError {
            try await recover(from: CancellationError())
        }
    }

    /// Keeps the bytes if the download may be resumed, and removes them if not.
    private func leave(after error: any Error) async {
        // Parts that could not be opened may belong to another download.
        guard isOpen else { return }
        noteBest()
        if best > 0, keepsBytes(after: error) {
            if options.durability == .onCompletion { try? await file?.sync() }
            try? save()
            isOpen = false
        } else {
            forget()
        }
        if control.isStopped, isResumable { control.resumeData = try? record.data }
    }

    /// Removes the files and the entry. ``save()`` has no effect afterwards.
    private func forget() {
        isOpen = false
        // Another run has created the file, and is using it.
        if file == nil, Directory.status(of: record.gatheringPath) != nil { return }
        record.removeFiles()
        registry?.remove(record.id)
    }

    private func keepsBytes(after error: any Error) -> Bool {
        // A cancellation without a stop does not keep the download.
        if Task.isCancelled, !control.isStopped { return false }
        guard isResumable, registry != nil || control.isStopped else { return false }
        if let error = error as? DownloadError { return error.keepsBytes }
        return ![404, 410].contains(NetworkFailure(wrapping: error, request: nil).statusCode)
    }

    // MARK: Bytes

    var received: Int64 { file?.received ?? 0 }

    private func openParts() throws {
        let isSameBoot = record.boot != nil && record.boot == BootSession.current
        var isWhole = record.file.validator != nil
        let status = Directory.status(of: record.gatheringPath)
        if status?.hasOtherNames == true {
            // It is the finished file itself, whose process ended before it removed this name.
            Directory.remove(record.gatheringPath)
        } else if status != nil {
            let file = try openFile(isNew: false)
            if record.starts.count > 1 {
                isWhole = try file.reopen(record, known: isSameBoot ? nil : record.durable) && isWhole
            } else {
                let longest = min(record.file.length ?? .max, isSameBoot ? .max : record.durable[0])
                if file.received > longest { try file.truncate(to: longest) }
            }
        }
        if record.starts.count > 1, options.connections <= 1 { connections = .oneAtATime }
        record.boot = BootSession.current
        if file == nil || !isWhole { try startOver() }
        responseCount = received > 0 ? 1 : 0
        best = received
        isOpen = true
        reporter.begin(totalBytes: record.file.length, at: best)
    }

    /// - Throws: ``DownloadError/Code/inUse`` if another run has the file.
    private func openFile(isNew: Bool) throws -> UnfinishedFile {
        let file = try UnfinishedFile(record, isNew: isNew)
        guard file.isLocked else {
            throw DownloadError(.inUse, "This download is running already. Wait for it, or cancel it there.")
        }
        self.file = file
        return file
    }

    func startOver() throws {
        try file?.truncate(to: 0)
        record.reset()
        (responseCount, hasEnded) = (0, false)
    }

    /// Creates the missing files. The registry's entry is written before the first byte, so that a kill leaves no file without an entry. That of
    /// a resumed record is written after the lock is held: it may be another run's.
    func makeParts() throws {
        if isResumed, file == nil { _ = try openFile(isNew: true) }
        try save()
        let file = try self.file ?? openFile(isNew: true)
        if record.starts.count > 1, let length = record.file.length {
            try file.divide(at: record.starts, length: length)
        }
    }

    func save() throws(DownloadError) {
        guard isOpen else { return }
        if let file, parts.count == record.starts.count { record.durable = file.durable }
        try registry?.save(record)
    }

    func noteProgress() { reporter.advance(to: received, of: record.file.length) }

    /// Returns the request for the whole file, or for a range.
    func request(_ asked: DownloadReply.Asked?) -> BuiltCall {
        var call = call
        call.request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        call.request.setValue(asked?.field, forHTTPHeaderField: "Range")
        call.request.setValue(asked == nil ? nil : record.file.validator?.text, forHTTPHeaderField: "If-Range")
        if options.stallTimeout > 0 { call.request.timeoutInterval = options.stallTimeout }
        network.restrict(&call.request)
        // A download may be too large for a cache, and a part is of no use in it.
        call.context.cachePolicy = .networkOnly
        return call
    }

    /// Notes progress if there are more bytes than ever before.
    func noteBest() { if received > best { (best, failures) = (received, 0) } }
}

/// The file, and the last response that brought bytes, or nil if none was needed.
typealias DownloadedFile = (url: URL, response: TransportResponse?)

/// The bytes are of no use. Request the whole file.
struct StartOver: Error { let reason: String }
