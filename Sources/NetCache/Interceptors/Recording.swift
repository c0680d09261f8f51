import NetCore

/// One response that is being stored.
struct Recording: Sendable {
    /// Nil after the end. A writer that is released without a commit stores nothing.
    private(set) var writer: (any HTTPCacheEntry.Writer)?
    /// The required number of bytes; nil if it is unknown.
    let expected: Int64?
    /// The body before it was decoded. If more bytes arrived than the decoder used, nothing is stored.
    let wire: TransportResponse.WireBody?
    let permit: InvalidationLog.Permit
    private(set) var received: Int64 = 0
    /// Called when the body was read to its end, or the store refused it; not if the body breaks off. Returns whether the response is stored.
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

    /// Returns a body that is stored when it is read to its announced end, and whether it is stored. A failure of the store never fails the reading.
    /// A body in memory is stored at once. A body that the caller collects is read here, up to the caller's limit. Nil for any other: not known.
    func record(_ body: HTTPBody, delivery: RequestContext.Delivery) async -> (HTTPBody, isStored: Bool?) {
        if let data = body.data {
            var recording = self
            if !data.isEmpty { await recording.write(data) }
            return (body, await recording.finish())
        }
        // Unsafe: `HTTPBody(length:pulling:)` allows one reader at a time.
        nonisolated(unsafe) var (recording, iterator, isStored) = (self, body.makeAsyncIterator(), false)
        let next: @Sendable () async throws -> Data? = {
            do {
                let chunk = try await iterator.next()
                if let chunk { await recording.write(chunk) } else { isStored = await recording.finish() }
                return chunk
            } catch {
                await recording.abort()
                throw error
            }
        }
        guard case .collected(let limit) = delivery else { return (HTTPBody(length: body.length, pulling: next), nil) }
        var data = Data()
        // The caller sees a failure, or too large a body, when it reads on.
        do {
            while let chunk = try await next() {
                data.append(chunk)
                guard data.count <= limit else {
                    return (HTTPBody(data).followed(by: HTTPBody(pulling: next), length: body.length), nil)
                }
            }
            return (HTTPBody(data), isStored)
        } catch {
            return (HTTPBody(data).followed(by: HTTPBody(pulling: { throw error }), length: body.length), false)
        }
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
