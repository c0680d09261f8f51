import NetClient
import NetCore

/// One download, from its start to its end: asks for what is missing until nothing is, checks the whole, and puts it in its place.
actor DownloadRun {
    let client: NetworkClient
    let options: DownloadOptions
    let network: DownloadNetwork
    let control: TransferControl
    let reporter: ProgressReporter
    private let registry: DownloadRegistry?
    /// Everything but what is about ranges.
    private let call: PreparedCall

    var record: DownloadRecord
    var parts: [PartFile] = []
    /// Whether what is there of an earlier download is ours.
    private var isOpen = false
    /// The newest response whose bytes were taken.
    var response: TransportResponse?
    /// Whether a file of unknown length is at its end.
    var hasEnded = false
    var isLaterRound = false
    /// How many responses the bytes come from. What one response brought needs no second try: it would be the same.
    var responseCount = 0

    /// How many connections it may use, as far as the server has played along.
    var connections = DownloadConnections.several
    /// How many of several connections have failed in the middle of a part.
    var brokenParts = 0

    /// The most bytes that were there at any time: more of them is progress.
    private var best: Int64 = 0
    /// How many times it went on without progress in between.
    private var failures = 0

    /// - Parameter record: of an earlier download, if this one goes on with it.
    init(
        client: NetworkClient, call: PreparedCall, record: DownloadRecord?, destination: DownloadDestination?,
        options: DownloadOptions, registry: DownloadRegistry?, monitor: (any ConnectionMonitoring)?,
        control: TransferControl, reporter: ProgressReporter
    ) throws {
        guard let url = call.request.url else { throw NetworkError.invalidURL }
        self.client = client
        self.call = call
        self.options = options
        self.control = control
        self.reporter = reporter
        network = DownloadNetwork(monitor, options, url: url)
        let isResumable = call.request.httpMethod == "GET" && call.body == nil
        self.registry = isResumable ? registry : nil
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

    /// Does it.
    ///
    /// - Throws: ``NetworkFailure``, or what becomes one; `CancellationError` after a cancellation, or if it was stopped.
    func run() async throws -> DownloadedFile {
        // Whoever hears of the end may go on with it at once.
        defer { for part in parts { part.unlock() } }
        do {
            try await openParts()
            try record.destination.check(record.existingFile)
            try await network.checkStart()
            let watch = network.watch { [control] in control.interrupt() }
            defer { watch?.cancel() }
            return try await transferAndFinish()
        } catch {
            await leave(after: error)
            throw error is DownloadError ? NetworkError.downloadFailed(error) : error
        }
    }

    private func transferAndFinish() async throws -> DownloadedFile {
        while true {
            do {
                if try await control.run({ try await self.transfer() }) {
                    let url = try await finish()
                    forget()
                    return DownloadedFile(url: url, response: response)
                }
            } catch {
                try await recover(from: error)
            }
        }
    }

    // MARK: After an error

    /// Returns when it may go on; throws what ends the download.
    private func recover(from error: any Error) async throws {
        try Task.checkCancellation()
        if control.isStopped { throw CancellationError() }
        if control.wasPaused {
            await control.waitWhilePaused()
            try Task.checkCancellation()
            if control.isStopped { throw CancellationError() }
            if await network.isUsable { return }
        }
        if await !network.isUsable {
            try await interruptible { try await self.network.wait(self.client.clock) }
            return
        }
        noteBest()
        failures += 1
        if let error = error as? StartOver {
            if record.starts.count > 1 { connections = .one }
            // Once in any case: what is there may simply be too old.
            guard failures <= max(1, options.maxResumptions) else {
                throw DownloadError(.contradictoryResponse, "The server sent \(error.reason), again and again.")
            }
            return try await startOver()
        }
        let failure = NetworkFailure(wrapping: error, request: nil)
        // Cancelled by nobody here: a network that was lost for a moment. But a transport that was shut down stays so.
        let wasInterrupted = failure.cause == .cancelled && failure.transportError == nil
        // What has not begun is a matter of the client's retry policy.
        guard wasInterrupted || failure.isRetryable, isResumable, best > 0, failures <= options.maxResumptions else {
            throw error
        }
        let delay = options.resumptionDelay.seconds(for: failures - 1, random: Double.random(in: 0...1))
        try await interruptible { [clock = client.clock] in try await clock.sleep(for: delay) }
    }

    /// Waits in such a way that a pause, a stop and news of the network end it; the next round sees to them.
    private func interruptible(_ work: @escaping @Sendable () async throws -> Void) async throws {
        do {
            try await control.run(work)
        } catch is CancellationError {
            try await recover(from: CancellationError())
        }
    }

    /// Keeps what may be resumed, and removes what may not.
    private func leave(after error: any Error) async {
        // What could not be opened may be another's.
        guard isOpen else { return }
        noteBest()
        if control.isStopped, isResumable { control.resumeData = try? record.data }
        guard best > 0, keepsBytes(after: error) else { return forget() }
        for part in parts { try? await part.sync() }
        try? save()
        isOpen = false
        if control.isStopped { control.resumeData = try? record.data }
    }

    /// Nothing is left to go on with. What was to be noted later is not any more.
    private func forget() {
        isOpen = false
        record.removeParts()
        registry?.remove(record.id)
    }

    private func keepsBytes(after error: any Error) -> Bool {
        // Cancelled, and not stopped: nobody means to go on.
        if Task.isCancelled, !control.isStopped { return false }
        guard isResumable, registry != nil || control.isStopped else { return false }
        if let error = error as? DownloadError { return error.keepsBytes }
        let status = NetworkFailure(wrapping: error, request: nil).statusCode
        return status != 404 && status != 410
    }

    // MARK: What is there

    var isResumable: Bool { call.request.httpMethod == "GET" && call.body == nil }

    /// How many bytes are there.
    var received: Int64 { parts.reduce(0) { $0 + $1.length } }

    private func openParts() async throws {
        let isSameBoot = record.boot != nil && record.boot == BootSession.current
        for index in record.starts.indices {
            let path = record.partPath(index)
            guard Directory.status(of: path) != nil else { break }
            let part = try PartFile(path, isNew: false)
            guard part.isLocked else {
                throw DownloadError(.inUse, "This download runs already. Wait for it, or cancel it there.")
            }
            parts.append(part)
            let longest = record.end(of: index).map { $0 - record.starts[index] } ?? .max
            try await part.truncate(to: min(longest, isSameBoot ? .max : record.durable[index]))
        }
        record.boot = BootSession.current
        if parts.count < record.starts.count || record.file.validator == nil { try await startOver() }
        responseCount = received > 0 ? 1 : 0
        best = received
        isOpen = true
        reporter.begin(totalBytes: record.file.length, at: best)
    }

    /// Forgets all bytes.
    func startOver() async throws {
        for index in record.starts.indices.dropFirst() { Directory.remove(record.partPath(index)) }
        parts.removeSubrange(min(1, parts.count)...)
        for part in parts { try await part.truncate(to: 0) }
        record.reset()
        responseCount = 0
        hasEnded = false
    }

    /// Makes the files of the parts that have none. The entry of the registry comes before the first byte.
    func makeParts() throws {
        try save()
        while parts.count < record.starts.count {
            parts.append(try PartFile(record.partPath(parts.count), isNew: true))
        }
    }

    func save() throws(DownloadError) {
        guard isOpen else { return }
        if parts.count == record.starts.count { record.durable = parts.map(\.durable) }
        record.offset = received
        try registry?.save(record)
    }

    /// Bytes have arrived.
    func noteProgress() {
        reporter.advance(to: received, of: record.file.length)
    }

    /// The request for all that is there, or for a part.
    func request(_ asked: DownloadReply.Asked?) -> PreparedCall {
        var call = call
        call.request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        call.request.setValue(asked?.field, forHTTPHeaderField: "Range")
        call.request.setValue(asked == nil ? nil : record.file.validator?.text, forHTTPHeaderField: "If-Range")
        if options.stallTimeout > 0 { call.request.timeoutInterval = options.stallTimeout }
        network.restrict(&call.request)
        // A gigabyte has no business in a cache, and a part of one less.
        call.context.cachePolicy = .networkOnly
        return call
    }

    /// More is there than ever before: it goes forward.
    func noteBest() {
        guard received > best else { return }
        best = received
        failures = 0
    }
}

/// What a download gave.
struct DownloadedFile: Sendable {
    let url: URL
    /// The last response that brought bytes; nil if none was needed.
    let response: TransportResponse?
}

/// The bytes that are there are of no use; ask for all of it.
struct StartOver: Error {
    let reason: String
}
