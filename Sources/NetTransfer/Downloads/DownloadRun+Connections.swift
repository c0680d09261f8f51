import NetClient
import NetCore

/// How many connections a download uses. It begins with as many as its options allow, and reduces them for good if the server refuses.
enum DownloadConnections {
    case several
    /// One part after the other, for a server that limits connections (429, 503, resets).
    case oneAtATime
    /// The whole file on one connection, for a server that sends no parts, or parts of different versions.
    case one
}

// Several connections, and the recovery if one of them fails.
extension DownloadRun {
    /// Fetches each part on its own connection. A failure does not end the others, unless the server refuses ranges. Returns the failures of
    /// parts, and ``connections`` tells how to continue. Throws the error that ends the download.
    func fetchTogether(_ indices: some Collection<Int> & Sendable) async throws -> [any Error] {
        var failures: [any Error] = []
        try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            for index in indices { group.addTask { try await self.fetchTolerantly(index) } }
            for try await case let failure? in group {
                failures.append(failure)
                if connections == .one { group.cancelAll() }
            }
        }
        return failures
    }

    /// Stores the start of a body while other connections fetch the rest. If they cannot, stores the whole body.
    func fetchTogether(_ indices: Range<Int>, beside response: TransportResponse, into first: FilePart) async throws {
        firstEnd = record.end(of: 0)
        async let others = fetchRest(indices)
        do {
            try await receive(response, into: first, stopsEarly: true)
        } catch {
            var failure = error
            if Self.isAboutConnection(error) {
                // The other parts are kept.
                do { _ = try await others } catch is CancellationError {} catch { failure = error }
            } else if connections == .one {
                // They are refused, so they end at once. The first connection may be behind the end of its part.
                _ = try? await others
            }
            if connections == .one { try useOnePart() }
            throw failure
        }
        let failures = try await others
        if connections == .one { return try useOnePart() }
        if let failure = failures.first { throw failure }
    }

    private func fetchRest(_ indices: Range<Int>) async throws -> [any Error] {
        let failures = try await fetchTogether(indices)
        guard !failures.isEmpty, let length = record.file.length else { return failures }
        // If the others have no bytes, the first connection can continue.
        if connections == .oneAtATime, parts.dropFirst().allSatisfy({ $0.length == 0 }) { connections = .one }
        if connections == .one, firstEnd != nil { firstEnd = length }
        return failures
    }

    /// Removes all parts but the first. The rest is then requested on one connection.
    private func useOnePart() throws {
        guard let file else { return }
        try file.join()
        (record.starts, record.durable) = ([0], file.durable)
    }

    private func fetchTolerantly(_ index: Int) async throws -> (any Error)? {
        let before = parts[index].length
        do {
            try await fetch(index)
            return nil
        } catch {
            // The first refusal cancelled this part.
            if connections == .one { return error }
            guard !Task.isCancelled, !control.isStopped, !control.wasPaused, network.isUsable,
                Self.isAboutConnection(error)
            else { throw error }
            if error is StartOver || NetworkFailure(wrapping: error, request: nil).refusesRange {
                connections = .one
            } else if connections == .several {
                brokenParts += 1
                // One part may fail by chance. A second failure, or one without any byte, means that the server limits connections.
                if parts[index].length <= before || brokenParts > 1 { connections = .oneAtATime }
            }
            return error
        }
    }

    /// Returns whether an error concerns the connection or a status, and not the disk or the caller.
    private static func isAboutConnection(_ error: any Error) -> Bool {
        if error is StartOver { return true }
        if error is DownloadError || error is SystemError || error is CancellationError { return false }
        let failure = NetworkFailure(wrapping: error, request: nil)
        return failure.isRetryable || failure.refusesRange
    }
}

extension NetworkFailure {
    /// Whether a server that serves the file refuses ranges: a status that a retry would not change.
    var refusesRange: Bool {
        guard case .requestFailed(let status, _) = cause, (400..<600).contains(status) else { return false }
        return !isRetryable && ![401, 404, 407, 410].contains(status)
    }
}
