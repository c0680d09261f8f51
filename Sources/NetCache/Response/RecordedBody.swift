import NetCore

/// A body on its way to the caller, and into the store at the same time. Stored is what was read to its end, in the length that
/// was announced; reading never fails for the store's sake.
final class RecordedBody: @unchecked Sendable {
    // Unchecked: a body is read by one reader at a time, and `HTTPBody(length:pulling:)` lets one alone in.
    private var iterator: HTTPBody.AsyncIterator
    private var recording: Recording

    private init(_ body: HTTPBody, recording: Recording) {
        iterator = body.makeAsyncIterator()
        self.recording = recording
    }

    /// The same body, recorded while it is read. One that is in memory is stored before this returns.
    static func body(_ body: HTTPBody, recording: Recording) async -> HTTPBody {
        if let data = body.data {
            var recording = recording
            if !data.isEmpty { await recording.write(data) }
            await recording.finish()
            return body
        }
        let recorded = RecordedBody(body, recording: recording)
        return HTTPBody(length: body.length, pulling: { try await recorded.next() })
    }

    private func next() async throws -> Data? {
        let chunk: Data?
        do {
            chunk = try await iterator.next()
        } catch {
            await recording.abort()
            throw error
        }
        if let chunk { await recording.write(chunk) } else { await recording.finish() }
        return chunk
    }
}

/// One response being stored.
struct Recording: Sendable {
    /// Nil when it is over. One that is released without a commit stores nothing.
    private var writer: (any HTTPCacheWriter)?
    private let expected: Int64?
    private let permit: StoringRegister.Permit
    private let didCommit: @Sendable () async -> Void
    private var received: Int64 = 0

    /// - Parameters:
    ///   - expected: the number of bytes there must be; nil if that is not known.
    ///   - didCommit: called when it is stored.
    init(
        writer: any HTTPCacheWriter, expected: Int64?, permit: StoringRegister.Permit,
        didCommit: @escaping @Sendable () async -> Void
    ) {
        self.writer = writer
        self.expected = expected
        self.permit = permit
        self.didCommit = didCommit
    }

    mutating func write(_ chunk: Data) async {
        guard let writer else { return }
        received += Int64(chunk.count)
        do {
            guard received <= expected ?? .max else { return await abort() }
            try await writer.write(chunk)
        } catch {
            // The store's trouble costs the entry, not the caller's body.
            await abort()
        }
    }

    mutating func finish() async {
        guard let writer, received == expected ?? received, permit.isValid else { return await abort() }
        self.writer = nil
        do {
            try await writer.commit()
            await didCommit()
        } catch {
            await writer.abort()
        }
    }

    mutating func abort() async {
        guard let writer else { return }
        self.writer = nil
        await writer.abort()
    }
}
