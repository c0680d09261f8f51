import NetCore

/// Knows the responses that are being stored, so that an invalidation reaches them too. A response that was on its way when a PUT
/// changed the resource must not be stored afterwards.
final class InvalidationLog: Sendable {
    private struct State {
        var generations = GenerationTable()
        /// The times of failed removals by URL. Older responses to the URL are not used.
        var failedRemovals: [String: Date] = [:]
        var failedRemovalOfAll: Date?
        /// The IDs of single responses that could not be removed.
        var failedEntries: Set<String> = []
    }

    private let state = Locked(State())

    /// Permission to store one response, until its URL is invalidated.
    struct Permit: Sendable {
        fileprivate let log: InvalidationLog
        fileprivate let url: String
        fileprivate let generation: HTTPCacheEntry.Generation

        var isValid: Bool { log.generation(of: url) == generation }
    }

    func begin(_ url: String) -> Permit {
        Permit(log: self, url: url, generation: generation(of: url))
    }

    private func generation(of url: String) -> HTTPCacheEntry.Generation {
        state.withLock { $0.generations.generation(of: url) }
    }

    /// Revokes the permits for that URL. Some URLs share them, which may cost an entry.
    func invalidate(_ url: String) {
        state.withLock { $0.generations.advance(url) }
    }

    func invalidateAll() {
        state.withLock { $0.generations.advanceAll() }
    }

    // MARK: Failed removals

    /// The maximum number of records. When there are more, no older response is used at all.
    private static let limit = 10_000

    /// - Parameter url: nil for all URLs.
    func noteFailedRemoval(of url: String?, at date: Date) {
        state.withLock { state in
            if let url, state.failedRemovals.count < Self.limit {
                state.failedRemovals[url] = date
            } else {
                state.failedRemovalOfAll = date
            }
        }
    }

    /// Records that an outdated response could not be removed.
    func noteFailedRemoval(of entry: HTTPCacheEntry) {
        state.withLock { state in
            if state.failedEntries.count < Self.limit {
                state.failedEntries.insert(entry.id)
            } else {
                state.failedRemovalOfAll = max(state.failedRemovalOfAll ?? .distantPast, entry.responseTime)
            }
        }
    }

    /// Records that the store has removed the responses to the URL.
    func noteRemoval(of url: String) {
        state.withLock { state in
            if !state.failedRemovals.isEmpty { state.failedRemovals[url] = nil }
        }
    }

    /// Returns the entries that are not affected by a failed removal.
    func usable(_ entries: [HTTPCacheEntry], for url: String) -> [HTTPCacheEntry] {
        guard !entries.isEmpty else { return entries }
        return state.withLock { state in
            if state.failedRemovals.isEmpty, state.failedRemovalOfAll == nil, state.failedEntries.isEmpty {
                return entries
            }
            let limits = [state.failedRemovals[url], state.failedRemovalOfAll].compactMap { $0 }
            guard !limits.isEmpty || !state.failedEntries.isEmpty else { return entries }
            let limit = limits.max() ?? .distantPast
            return entries.filter { $0.responseTime > limit && !state.failedEntries.contains($0.id) }
        }
    }
}
