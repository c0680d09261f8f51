import NetCore

/// Writes to two stores. A store that fails is left out from then on. An invalidation ends both.
final class TieredWriter: HTTPCacheEntry.Writer {
    private let state: Locked<(near: (any HTTPCacheEntry.Writer)?, far: (any HTTPCacheEntry.Writer)?)>
    private let removeNear: @Sendable () async throws -> Void

    init(
        near: (any HTTPCacheEntry.Writer)?, far: (any HTTPCacheEntry.Writer)?,
        removeNear: @escaping @Sendable () async throws -> Void
    ) {
        state = Locked((near, far))
        self.removeNear = removeNear
    }

    func write(_ chunk: Data) async throws { try await each { try await $0.write(chunk) } }

    /// Commits to the lower store first, so that a response in memory is also on disk.
    func commit() async throws { try await each { try await $0.commit() } }

    func abort() async {
        let writers = state.withLock { state in
            defer { state = (nil, nil) }
            return [state.far, state.near]
        }
        for writer in writers { await writer?.abort() }
    }

    private func each(_ work: (any HTTPCacheEntry.Writer) async throws -> Void) async throws {
        let writers = state.withLock { $0 }
        var failure: (any Error)?
        var isStored = false
        if let far = writers.far {
            do {
                try await work(far)
                isStored = true
            } catch is CancellationError {
                // The URL was invalidated, perhaps by another process.
                await abort()
                throw CancellationError()
            } catch {
                failure = error
                await far.abort()
                state.withLock { $0.far = nil }
            }
        }
        if let near = writers.near {
            do {
                try await work(near)
                isStored = true
            } catch {
                failure = error
                await near.abort()
                state.withLock { $0.near = nil }
                // The upper store must not keep the previous response.
                do { try await removeNear() } catch { failure = error }
            }
        }
        if !isStored { throw failure ?? CancellationError() }
    }
}

/// The generations of two stores as one.
struct TieredGeneration {
    private(set) var upper: HTTPCacheEntry.Generation?
    private(set) var lower: HTTPCacheEntry.Generation?

    init(_ whole: HTTPCacheEntry.Generation?) {
        guard let text = whole?.text, let colon = text.firstIndex(of: ":"), let length = Int(text[..<colon]) else {
            return
        }
        let rest = text[text.index(after: colon)...]
        upper = length < 0 ? nil : HTTPCacheEntry.Generation(String(rest.prefix(length)))
        let end = rest.dropFirst(Swift.max(0, length))
        lower = end.isEmpty ? nil : HTTPCacheEntry.Generation(String(end.dropFirst()))
    }

    /// The text: the length of the upper generation or -1 for none, a colon, and both generations.
    static func whole(
        upper: HTTPCacheEntry.Generation?, lower: HTTPCacheEntry.Generation?
    ) -> HTTPCacheEntry.Generation? {
        guard upper != nil || lower != nil else { return nil }
        let first = upper.map { "\($0.text.count):\($0.text)" } ?? "-1:"
        return HTTPCacheEntry.Generation(first + (lower.map { "/" + $0.text } ?? ""))
    }
}
