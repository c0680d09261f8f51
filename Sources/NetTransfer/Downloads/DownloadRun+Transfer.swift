import NetClient
import NetCore

// Requests and bodies.
extension DownloadRun {
    private static let smallestPart: Int64 = 1 << 20

    /// Requests all missing bytes once. Returns whether the file is complete.
    func transfer() async throws -> Bool {
        // Without a validator it is unknown whether the rest belongs to these bytes.
        if received > 0, record.file.validator == nil { try startOver() }
        if isLaterRound { reporter.restart(from: received) }
        isLaterRound = true
        let missing = record.starts.indices.filter { self.missing($0) != 0 }
        if record.starts.count == 1 {
            try await fetch(0)
        } else if connections == .several {
            let failures = try await fetchTogether(missing)
            if let failure = failures.first(where: { $0 is StartOver }) ?? failures.first { throw failure }
        } else {
            for index in missing { try await fetch(index) }
        }
        noteBest()
        return parts.count == record.starts.count
            && (hasEnded || record.starts.indices.allSatisfy { self.missing($0) == 0 })
    }

    /// Returns the number of bytes that a part lacks, or nil if it is unknown.
    private func missing(_ index: Int) -> Int64? {
        record.end(of: index).map { $0 - record.starts[index] - parts[index].length }
    }

    func fetch(_ index: Int) async throws {
        let isSplit = record.starts.count > 1
        let offset = record.starts[index] + (parts.indices.contains(index) ? parts[index].length : 0)
        let end = isSplit ? record.end(of: index) : nil
        let asked = offset > 0 || isSplit ? DownloadReply.Asked(offset: offset, end: end) : nil
        var call = request(asked)
        call.context[ResumptionKey.self] = offset > record.starts[index] ? offset : nil
        let response = try await client.send(call.request, body: call.body, context: call.context)
        guard
            let reply = try DownloadReply(
                status: response.status, headers: response.headers, bodyLength: response.body.length, asked: asked,
                version: record.file)
        else {
            // Each connection may have one.
            let failure = await response.refusal(client.clock, upTo: 64 << 10)
            // The server sent the whole file before, and refuses a range of it.
            guard connections == .one, asked != nil, failure.refusesRange else { throw failure }
            throw StartOver(reason: "status \(response.status) for a part")
        }
        switch reply {
        case .startOver(let reason): throw StartOver(reason: reason)
        case .complete:
            record.file.length = offset
            hasEnded = true
        case .part(let range, let total):
            record.file.length = record.file.length ?? total
            record.file.digest =
                record.file.digest ?? Downloader.Options.Checksum(field: response.headers["Repr-Digest"])
            let start = parts[index].length
            try await receive(response, into: parts[index], exactly: Int64(range.count))
            // In a 206 it is the digest of the part.
            let digest = Downloader.Options.Checksum(field: response.headers["Content-Digest"])
            if let digest, try await file?.digest(of: parts[index], from: start) != digest.sha256 {
                throw StartOver(reason: "a part that does not match its digest")
            }
        case .whole(let length):
            guard !isSplit else { throw StartOver(reason: "a file that has changed") }
            guard response.status != 204, response.status != 205 else { throw NetworkError.noData }
            try await begin(with: response, length: length)
        }
    }

    /// Stores the whole file, or only its first part if other connections fetch the rest.
    private func begin(with response: TransportResponse, length: Int64?) async throws {
        if received > 0 { reporter.restart(from: 0) }
        try startOver()
        record.file = DownloadVersion(response.headers, length: length)
        record.suggestedName = SuggestedFilename.name(for: response)
        try record.destination.check(record.suggestedName, record.existingFile)
        if let starts = split(response) { (record.starts, record.durable) = (starts, starts.map { _ in 0 }) }
        try makeParts()
        noteProgress()
        let (first, count) = (parts[0], record.starts.count)
        guard count > 1 else { return try await receive(response, into: first, exactly: length, isWhole: true) }
        try await fetchTogether(1..<count, beside: response, into: first)
    }

    private func split(_ response: TransportResponse) -> [Int64]? {
        let ranges = response.headers["Accept-Ranges"]?.listMembers() ?? []
        guard options.connections > 1, connections != .one, isResumable, record.file.validator != nil,
            let length = record.file.length, ranges.contains(where: { String($0).equalsIgnoringASCIICase("bytes") })
        else { return nil }
        let count = min(Int64(min(options.connections, DownloadRecord.mostParts)), length / Self.smallestPart)
        return count > 1 ? (0..<count).map { length / count * $0 } : nil
    }

    // MARK: Bodies

    /// Stores a body that must have `count` bytes, or any number if nil. If it `stopsEarly`, at ``firstEnd``, other connections fetch the rest.
    func receive(
        _ response: TransportResponse, into part: FilePart, exactly count: Int64? = nil, isWhole: Bool = false,
        stopsEarly: Bool = false
    ) async throws {
        self.response = response
        self.response?.body = .empty
        responseCount += 1
        var (received, isAtEnd) = (Int64(0), false)
        for try await var chunk in response.body {
            if stopsEarly, let end = firstEnd, received + Int64(chunk.count) >= end {
                chunk = chunk.prefix(Int(end - received))
                (firstEnd, isAtEnd) = (nil, true)
            }
            received += Int64(chunk.count)
            guard received <= count ?? .max else {
                guard isWhole else { throw StartOver(reason: "more bytes than announced") }
                throw DownloadError(.contradictoryResponse, "The server sent more bytes than announced.")
            }
            try await part.append(chunk, writesBack: options.durability == .onCompletion)
            noteProgress()
            if isAtEnd { break }
        }
        try Task.checkCancellation()
        if !stopsEarly, count == nil { hasEnded = true }
        if let count = stopsEarly ? firstEnd : count, received < count {
            let message = "The body ended after \(received) of \(count) bytes."
            let error = TransportError(.truncatedBody, phase: .receivingBody, message: message)
            throw NetworkFailure(wrapping: error, request: response.request)
        }
    }
}

// Completion.
extension DownloadRun {
    func finish() async throws -> URL {
        guard let file else { throw CancellationError() }
        if let length = record.file.length {
            let (received, size) = (file.received, try file.length())
            guard received == length, size == length else {
                throw StartOver(reason: "\(min(received, size)) bytes of a file of \(length)")
            }
        }
        try await checkDigest(file)
        if options.durability == .onCompletion { try await file.sync() }
        let path = try await gathered(file)
        try Task.checkCancellation()
        return try record.destination.place(
            path, named: record.suggestedName ?? "download", record.existingFile, options.durability)
    }

    /// Checks the file's digests. It reads the whole file from the disk, since earlier processes may have written some of it.
    private func checkDigest(_ file: UnfinishedFile) async throws {
        let expected = [record.checksum, record.file.digest].compactMap { $0 }
        guard !expected.isEmpty else { return }
        let digest = try await file.digest()
        guard let wrong = expected.first(where: { $0.sha256 != digest }) else { return }
        // The bytes may come from two versions. A single response may match.
        if responseCount > 1 { throw StartOver(reason: "parts that do not match the digest together") }
        throw DownloadError(
            .digestMismatch,
            "The file does not match the digest \(wrong). It was damaged or replaced, and was not saved.")
    }

    /// Returns the path of the file on its destination's file system, which may have changed since the start.
    private func gathered(_ file: UnfinishedFile) async throws -> String {
        let old = record
        record.gather(in: record.destination.gatheringFolder)
        let path = record.gatheringPath
        guard path != file.path else { return path }
        if rename(file.path, path) != 0 {
            guard errno == EXDEV else { throw DownloadError(SystemError("rename"), at: path) }
            try await file.copy(to: record)
        }
        old.removeFiles()
        return path
    }
}
