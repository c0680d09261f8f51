import NetClient
import NetCore

/// Runs one upload, from its start or from where it stopped.
///
/// The steps are: create, ask for the offset, append, append. After a failure it asks again, since only the server knows how much has arrived.
struct ResumableUploadRun {
    private let job: ResumableUploadJob
    private let dialect: any UploadDialect
    private let reporter: ProgressReporter
    private let control: TransferControl
    private let records: ResumableUpload.Records

    private var record: ResumableUpload.Record?
    /// The server's last state, or nil if the server has to be asked.
    private var state: UploadState?
    private var failures = 0
    /// The largest offset so far. A server that loses each upload does not reset the count of failures.
    private var furthest: Int64 = 0

    private var size: Int64 { job.file.identity.size }

    init(job: ResumableUploadJob, reporter: ProgressReporter, control: TransferControl) {
        self.job = job
        self.reporter = reporter
        self.control = control
        dialect = job.protocol.dialect(clock: job.client.clock)
        records = job.options.records
    }

    mutating func run() async throws -> ResumableUpload.Receipt {
        let lock = try records.lock(job.key)
        defer { withExtendedLifetime(lock) {} }
        record = records.record(for: job.key)
        if let record, record.file != job.file.identity { throw ResumableUpload.Failure.fileChanged }
        while true {
            do {
                if let receipt = try await step() {
                    records.remove(key: job.key)
                    reporter.finish()
                    return receipt
                }
            } catch {
                try await recover(from: error)
            }
        }
    }

    /// Takes the next step. Returns the receipt at the end.
    private mutating func step() async throws -> ResumableUpload.Receipt? {
        guard let record else { return try await create() }
        if let date = record.expirationDate, date <= job.client.clock.now { throw ResumeFailure.gone(nil) }
        guard let state else {
            try await ask(record)
            return nil
        }
        if state.isComplete {
            return ResumableUpload.Receipt(uploadURL: record.uploadURL, byteCount: size, response: nil)
        }
        return try await append(to: record, from: state.offset)
    }

    private mutating func create() async throws -> ResumableUpload.Receipt? {
        var abilities = UploadAbilities()
        if let discovery = dialect.discovery {
            let response = try await exchange(discovery, with: job.target)
            if (200..<300).contains(response.status) { abilities = try dialect.abilities(in: response) }
        }
        if let limit = abilities.maxSize, size > limit { throw ResumableUpload.Failure.fileTooLarge(limit: limit) }
        let response = try await exchange(try dialect.creation(of: job.file), with: job.target)
        if response.status == 413 {
            let limit = UploadLimits(response)?.maxSize
            throw refusal(response, .uploadFailed(ResumableUpload.Failure.fileTooLarge(limit: limit)))
        }
        try check(response)
        let location = response.headers["Location"].flatMap {
            URL(reference: $0, relativeTo: response.url ?? job.target, keepsUserInformation: false)
        }
        // An empty file needs no further request.
        if size == 0 {
            reporter.confirm(0, of: 0)
            return ResumableUpload.Receipt(uploadURL: location ?? job.target, byteCount: 0, response: response)
        }
        let limits = UploadLimits(response) ?? UploadLimits()
        let record = ResumableUpload.Record(
            fileURL: job.file.url, targetURL: job.target, uploadURL: try uploadURL(location),
            protocol: job.protocol, partition: job.options.partition, startDate: job.client.clock.now,
            expirationDate: dialect.expirationDate(in: response), file: job.file.identity, limits: limits,
            verifiesSHA256: abilities.verifiesSHA256)
        do {
            try limits.check(size: size)
            // Before a byte is sent: an upload without a record cannot be resumed.
            try records.save(record)
        } catch {
            // Removes the upload, if the server can be reached.
            _ = try? await exchange(dialect.message(.delete), with: record.uploadURL)
            throw error
        }
        self.record = record
        settle(UploadState(offset: 0, isComplete: false))
        return nil
    }

    private mutating func ask(_ record: ResumableUpload.Record) async throws {
        let response = try await exchange(dialect.message(.head), with: record.uploadURL)
        try check(response)
        if let length = response.byteCount("Upload-Length"), length != size {
            throw ResumableUpload.Failure.protocolViolation("it says that the file has \(length) bytes, not \(size).")
        }
        try accept(dialect.state(in: response, size: size, after: nil), in: response, atLeast: 0)
    }

    private mutating func append(
        to record: ResumableUpload.Record, from offset: Int64
    ) async throws -> ResumableUpload.Receipt? {
        guard try FileIdentity(of: job.file.url) == job.file.identity else { throw ResumableUpload.Failure.fileChanged }
        let length = record.limits.pieceLength(rest: size - offset, wanted: job.options.chunkSize)
        let piece = UploadPiece(offset: offset, length: length, isLast: offset + length == size)
        // The checksum of a large file would mean reading all of it beforehand.
        let isInChunks = !piece.isLast || job.options.chunkSize.map { $0 > 0 } == true
        let checksum = isInChunks && record.verifiesSHA256 ? try job.file.checksum(piece) : nil
        var message = dialect.append(piece, checksum: checksum)
        message.body = job.file.body(piece)
        // The server's offset is unknown until it responds.
        state = nil
        let response = try await exchange(
            message, with: record.uploadURL, progress: reporter.send(length, from: offset))
        if dialect.isFinal(response) {
            if (200..<300).contains(response.status) {
                reporter.confirm(size, of: size)
                return ResumableUpload.Receipt(uploadURL: record.uploadURL, byteCount: size, response: response)
            }
            // The target has received the whole upload, and refused it.
            records.remove(key: job.key)
            throw ResumeFailure.refused(refusal(response))
        }
        if response.status == 413 {
            // The response may tell a limit.
            guard let limits = UploadLimits(response), let most = limits.maxAppendSize, (1..<length).contains(most)
            else { throw refusal(response, .uploadFailed(ResumableUpload.Failure.requestTooLarge)) }
            self.record?.limits = limits
            return nil
        }
        try check(response)
        let appended = try dialect.state(in: response, size: size, after: piece)
        guard appended.offset <= piece.end else {
            throw ResumableUpload.Failure.protocolViolation("it reports more bytes than were sent.")
        }
        // Either nothing was stored, or everything without completion: ask the server, with a limit on the attempts.
        if appended.offset == offset && length > 0 || piece.isLast && appended.offset == size && !appended.isComplete {
            let error = ResumableUpload.Failure.protocolViolation("its response to PATCH reports no progress.")
            throw ResumeFailure.conflict(refusal(response, .uploadFailed(error)))
        }
        try accept(appended, in: response, atLeast: offset)
        guard appended.isComplete else { return nil }
        return ResumableUpload.Receipt(uploadURL: record.uploadURL, byteCount: size, response: response)
    }
}

// MARK: Responses

extension ResumableUploadRun {
    private func exchange(
        _ message: UploadMessage, with url: URL, progress: (@Sendable (RequestContext.Progress) -> Void)? = nil
    ) async throws -> TransportResponse {
        do {
            return try await control.run { [job] in try await job.sender.send(message, to: url, progress: progress) }
        } catch {
            throw control.wasPaused && !Task.isCancelled ? Paused() : error
        }
    }

    private mutating func accept(_ state: UploadState, in response: TransportResponse, atLeast minimum: Int64) throws {
        guard state.offset >= minimum, state.offset <= size, !state.isComplete || state.offset == size else {
            throw ResumableUpload.Failure.protocolViolation(
                "its Upload-Offset is \(state.offset), of a file of \(size) bytes.")
        }
        if var record {
            record.limits = UploadLimits(response) ?? record.limits
            record.expirationDate = dialect.expirationDate(in: response) ?? record.expirationDate
            // Other changes do not matter to another process.
            if record != self.record { try? records.save(record) }
            self.record = record
        }
        settle(state)
    }

    private mutating func settle(_ state: UploadState) {
        self.state = state
        if state.offset > furthest { (furthest, failures) = (state.offset, 0) }
        reporter.confirm(state.offset, of: size)
    }

    private func check(_ response: TransportResponse) throws {
        guard !(200..<300).contains(response.status) else { return }
        let failure = refusal(response)
        switch response.status {
        case 404 where record != nil, 410 where record != nil: throw ResumeFailure.gone(failure)
        // 460 is the status of tus for a checksum that differs.
        case 409 where record != nil, 460 where record != nil: throw ResumeFailure.conflict(failure)
        // tus servers send it while they still hold a request whose connection was lost.
        case 423 where record != nil: throw ResumeFailure.locked(failure)
        case 412 where job.protocol == .tus:
            throw refusal(response, .unsupported("The server does not support tus 1.0.0. Update it."))
        default: throw failure
        }
    }

    private func refusal(_ response: TransportResponse, _ cause: NetworkError? = nil) -> NetworkFailure {
        let failure = NetworkFailure(response: response, data: response.body.data, timestamp: job.client.clock.now)
        guard let cause else { return failure }
        return NetworkFailure(
            cause: cause, request: failure.request, response: failure.response, timestamp: failure.timestamp)
    }

    private func uploadURL(_ location: URL?) throws -> URL {
        guard let url = location, url.isHTTP else {
            throw NetworkError.unsupported(
                "The response names no URL for the upload (Location). Check that the server supports the protocol.")
        }
        guard job.target.scheme?.lowercased() != "https" || url.scheme?.lowercased() == "https" else {
            throw ResumableUpload.Failure.protocolViolation(
                "the request used https, but its Location uses http. Behind a proxy, the server has to respect X-Forwarded-Proto."
            )
        }
        return url
    }
}

// MARK: Recovery

/// A response after which the upload continues differently, or ends.
private enum ResumeFailure: Error {
    /// The server has lost the upload.
    case gone(NetworkFailure?)
    /// The server has another offset.
    case conflict(NetworkFailure)
    /// The server still holds an earlier request.
    case locked(NetworkFailure)
    /// The target has received the whole upload, and refused it.
    case refused(NetworkFailure)

    /// Whether waiting would not change the response.
    var isSettled: Bool { if case .locked = self { false } else { true } }
}

private struct Paused: Error {}

extension ResumableUploadRun {
    /// Waits if necessary, and returns if the upload may continue.
    private mutating func recover(from error: any Error) async throws {
        state = nil
        try Task.checkCancellation()
        if error is Paused {
            await control.waitWhilePaused()
            try Task.checkCancellation()
            failures = 0
            return
        }
        let failure: NetworkFailure
        switch error {
        case ResumeFailure.gone(let reason):
            failure = reason ?? NetworkFailure(cause: .requestFailed(statusCode: 410, data: nil))
            records.remove(key: job.key)
            record = nil
        case ResumeFailure.conflict(let reason), ResumeFailure.locked(let reason): failure = reason
        case ResumeFailure.refused(let reason): throw reason
        case is ResumableUpload.Failure: throw error
        default:
            failure = NetworkFailure(wrapping: error, request: nil, timestamp: job.client.clock.now)
            if failure.transportError?.code == .requestBodyFailed {
                let isSame = (try? FileIdentity(of: job.file.url)) == job.file.identity
                throw isSame ? NetworkError.uploadFailed(failure.transportError) : ResumableUpload.Failure.fileChanged
            }
            guard failure.isRetryable else { throw error }
        }
        guard failures < max(0, job.options.maxRetries) else { throw failure }
        defer { failures += 1 }
        // The first retry need not wait.
        if failures == 0, (error as? ResumeFailure)?.isSettled == true { return }
        let delay = job.options.delay.seconds(for: failures, random: .random(in: 0...1))
        let pause = max(delay, min(failure.requestedPause(now: job.client.clock.now), 120))
        try await job.client.clock.sleep(for: pause)
    }
}
