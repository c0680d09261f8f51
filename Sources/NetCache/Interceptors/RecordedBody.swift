import NetCore

/// A body that is stored while the caller reads it. It is stored when it was read to its end and has the announced length. A
/// failure of the store never fails the reading.
final class RecordedBody: @unchecked Sendable {
    // Unchecked: `HTTPBody(length:pulling:)` allows one reader at a time.
    private var iterator: HTTPBody.AsyncIterator
    private var recording: Recording
    private var isStored = false

    private init(_ body: HTTPBody, recording: Recording) {
        iterator = body.makeAsyncIterator()
        self.recording = recording
    }

    /// Returns the body, which is recorded while it is read, and whether it is stored.
    ///
    /// A body in memory is stored before this method returns. A body that the caller collects is read here, up to the caller's
    /// limit. For any other body the result is nil: not known yet.
    static func body(
        _ body: HTTPBody, recording: Recording, delivery: RequestContext.Delivery
    ) async -> (HTTPBody, isStored: Bool?) {
        if let data = body.data {
            var recording = recording
            if !data.isEmpty { await recording.write(data) }
            return (body, await recording.finish())
        }
        let recorded = RecordedBody(body, recording: recording)
        if case .collected(let limit) = delivery { return await recorded.collect(upTo: limit, length: body.length) }
        return (HTTPBody(length: body.length, pulling: { try await recorded.next() }), nil)
    }

    /// The caller sees a failure, or too large a body, when it reads on.
    private func collect(upTo limit: Int, length: Int64?) async -> (HTTPBody, isStored: Bool?) {
        var data = Data()
        do {
            while let chunk = try await next() {
                data.append(chunk)
                guard data.count <= limit else {
                    let rest = HTTPBody(pulling: { try await self.next() })
                    return (HTTPBody(data).followed(by: rest, length: length), nil)
                }
            }
            return (HTTPBody(data), isStored)
        } catch {
            return (HTTPBody(data).followed(by: HTTPBody(pulling: { throw error }), length: length), false)
        }
    }

    private func next() async throws -> Data? {
        let chunk: Data?
        do {
            chunk = try await iterator.next()
        } catch {
            await recording.abort()
            throw error
        }
        if let chunk { await recording.write(chunk) } else { isStored = await recording.finish() }
        return chunk
    }
}

/// One response that is being stored.
struct Recording: Sendable {
    /// Nil after the end. A writer that is released without a commit stores nothing.
    private(set) var writer: (any HTTPCacheWriter)?
    /// The required number of bytes; nil if it is unknown.
    let expected: Int64?
    /// The body before it was decoded. If more bytes arrived than the decoder used, nothing is stored.
    let wire: TransportResponse.WireBody?
    let permit: InvalidationLog.Permit
    private(set) var received: Int64 = 0
    /// Called when the body was read to its end, or the store refused it; not if the body breaks off. Returns whether the response is
    /// stored.
    let didEnd: @Sendable (End) async -> Bool

    mutating func write(_ chunk: Data) async {
        guard let writer else { return }
        received += Int64(chunk.count)
        do {
            guard received <= expected ?? .max else { return await refuse() }
            try await writer.write(chunk)
        } catch {
            // A failure of the store costs the entry, not the caller's body.
            await refuse()
        }
    }

    /// Commits. Returns whether the response is stored.
    mutating func finish() async -> Bool {
        guard let writer else { return false }
        guard received == expected ?? received, wire?.hasSurplus != true, permit.isValid else {
            let end = permit.isValid ? End.refused : .outdated
            await abort()
            return await didEnd(end)
        }
        self.writer = nil
        do {
            try await writer.commit()
        } catch {
            await writer.abort()
            return await didEnd(error is CancellationError ? .outdated : .refused)
        }
        return await didEnd(.committed)
    }

    private mutating func refuse() async {
        await abort()
        _ = await didEnd(.refused)
    }

    mutating func abort() async {
        guard let writer else { return }
        self.writer = nil
        await writer.abort()
    }

    enum End {
        /// The store has the response.
        case committed
        /// The URL was invalidated meanwhile.
        case outdated
        /// The store failed, or the body did not have the announced length.
        case refused
    }
}

extension TransportResponse {
    /// Whether the response certainly has no body.
    var hasNoBody: Bool { status == 204 || status == 205 || body.length == 0 }

    /// The length of the body as the reader sees it, if the header fields say so.
    var announcedLength: Int64? {
        guard !hasNoBody, !headers.contains(name: "Transfer-Encoding"), !headers.contains(name: "Content-Encoding")
        else { return hasNoBody ? 0 : nil }
        return headers.values(for: "Content-Length").first.flatMap { ContentRange.position($0[...]) }
    }
}
