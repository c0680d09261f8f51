import NetCore

/// A body on its way to the caller, and into the store at the same time. Stored is what was read to its end, in the length that
/// was announced; reading never fails for the store's sake.
final class RecordedBody: @unchecked Sendable {
    // Unchecked: a body is read by one reader at a time, and `HTTPBody(length:pulling:)` lets one alone in.
    private var iterator: HTTPBody.AsyncIterator
    private var recording: Recording
    private var isStored = false

    private init(_ body: HTTPBody, recording: Recording) {
        iterator = body.makeAsyncIterator()
        self.recording = recording
    }

    /// The same body, recorded while it is read, and whether it was stored.
    ///
    /// One that is in memory is stored before this returns. One that the caller collects is read here, up to the caller's limit, so that
    /// it is known whether it was stored. Of any other that is not known yet: nil.
    static func body(
        _ body: HTTPBody, recording: Recording, delivery: ResponseDelivery
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

    /// What it cannot read, or what is too much, the caller finds out as it reads on.
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

/// One response being stored.
struct Recording: Sendable {
    /// Nil when it is over. One that is released without a commit stores nothing.
    private var writer: (any HTTPCacheWriter)?
    private let expected: Int64?
    private let wire: WireBody?
    private let permit: StoringRegister.Permit
    private let didEnd: @Sendable (End) async -> Bool
    private var received: Int64 = 0

    /// - Parameters:
    ///   - expected: the number of bytes there must be; nil if that is not known.
    ///   - wire: what the body was before it was decoded. If more than that came, nothing is stored.
    ///   - didEnd: called when the body was read to its end, or the store refused it; not for a body that breaks off. Returns whether
    ///     the response is stored.
    init(
        writer: any HTTPCacheWriter, expected: Int64?, wire: WireBody?, permit: StoringRegister.Permit,
        didEnd: @escaping @Sendable (End) async -> Bool
    ) {
        self.writer = writer
        self.expected = expected
        self.wire = wire
        self.permit = permit
        self.didEnd = didEnd
    }

    mutating func write(_ chunk: Data) async {
        guard let writer else { return }
        received += Int64(chunk.count)
        do {
            guard received <= expected ?? .max else { return await refuse() }
            try await writer.write(chunk)
        } catch {
            // The store's trouble costs the entry, not the caller's body.
            await refuse()
        }
    }

    /// Whether it is stored.
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

    /// How storing ends.
    enum End {
        /// The store has it.
        case committed
        /// The URL was invalidated meanwhile.
        case outdated
        /// The store could not take it, or the body had another length than was announced.
        case refused
    }
}
