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

/// Where the first of several connections stops: at the next part, or at the end of the file if the other connections fail.
final class StoppingPoint: Sendable {
    private let state: Locked<(end: Int64, isReached: Bool)>

    init(_ end: Int64) {
        state = Locked((end, false))
    }

    var end: Int64 { state.withLock { $0.end } }

    /// Returns how many bytes of a chunk are before the end, and whether they are the last.
    func take(_ count: Int, at position: Int64) -> (count: Int, isEnd: Bool) {
        state.withLock { state in
            if position + Int64(count) >= state.end { state.isReached = true }
            return (Int(min(Int64(count), max(0, state.end - position))), state.isReached)
        }
    }

    /// Moves the end.
    ///
    /// - Returns: false if the end was reached before. The connection is gone then.
    func move(to end: Int64) -> Bool {
        state.withLock { state in
            guard !state.isReached else { return false }
            state.end = end
            return true
        }
    }
}

// Several connections, and the recovery if one of them fails.
extension DownloadRun {
    /// Fetches each part on its own connection. A failure does not end the others, unless the server refuses ranges.
    ///
    /// - Returns: the failures of parts. ``connections`` tells how to continue.
    /// - Throws: the error that ends the download.
    func fetchTogether(_ indices: some Collection<Int> & Sendable) async throws -> [any Error] {
        var failures: [any Error] = []
        try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            for index in indices {
                group.addTask { try await self.fetchTolerantly(index) }
            }
            for try await failure in group {
                guard let failure else { continue }
                failures.append(failure)
                if connections == .one { group.cancelAll() }
            }
        }
        return failures
    }

    /// Stores the start of a body while other connections fetch the rest. If they cannot, stores the whole body.
    func fetchTogether(
        _ indices: Range<Int>, beside response: TransportResponse, into first: FilePart
    ) async throws {
        let stop = StoppingPoint(record.end(of: 0) ?? 0)
        let others = Task { try await self.fetchRest(indices, before: stop) }
        try await withTaskCancellationHandler {
            do {
                try await receive(response, into: first, upTo: stop)
            } catch {
                // The other parts are kept, unless the download ends.
                let goesOn = Self.isAboutConnection(error)
                if !goesOn { others.cancel() }
                let rest = await others.result
                if connections == .one { try useOnePart() }
                if goesOn, case .failure(let other) = rest, !(other is CancellationError) { throw other }
                throw error
            }
            let failures = try await others.value
            if connections == .one { return try useOnePart() }
            if let failure = failures.first { throw failure }
        } onCancel: {
            others.cancel()
        }
    }

    private func fetchRest(_ indices: Range<Int>, before stop: StoppingPoint) async throws -> [any Error] {
        let failures = try await fetchTogether(indices)
        guard !failures.isEmpty, let length = record.file.length else { return failures }
        // If the others have no bytes, the first connection can continue.
        if connections == .oneAtATime, parts.dropFirst().allSatisfy({ $0.length == 0 }) { connections = .one }
        if connections == .one { _ = stop.move(to: length) }
        return failures
    }

    /// Removes all parts but the first. The rest is then requested on one connection.
    private func useOnePart() throws {
        guard let file else { return }
        try file.join()
        record.starts = [0]
        record.durable = file.durable
    }

    private func fetchTolerantly(_ index: Int) async throws -> (any Error)? {
        let before = parts[index].length
        do {
            try await fetch(index)
            return nil
        } catch {
            // The first refusal cancelled this part.
            if connections == .one { return error }
            guard !Task.isCancelled, !control.isStopped, !control.wasPaused, network.isUsable else { throw error }
            try note(error, ofPartWithBytes: parts[index].length > before)
            return error
        }
    }

    /// Decides how to continue after one of several connections has failed.
    private func note(_ error: any Error, ofPartWithBytes hasBytes: Bool) throws {
        if error is StartOver {
            connections = .one
            return
        }
        guard Self.isAboutConnection(error) else { throw error }
        let failure = NetworkFailure(wrapping: error, request: nil)
        if failure.refusesRange {
            connections = .one
        } else if connections == .several {
            brokenParts += 1
            // One part may fail by chance. A second failure, or one without any byte, means that the server limits connections.
            if !hasBytes || brokenParts > 1 { connections = .oneAtATime }
        }
    }

    /// Returns whether an error concerns the connection or a status, and not the disk or the caller.
    private static func isAboutConnection(_ error: any Error) -> Bool {
        if error is StartOver || error is DownloadError || error is CancellationError { return error is StartOver }
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
