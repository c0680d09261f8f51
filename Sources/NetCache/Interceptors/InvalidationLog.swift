import NetCore

/// Knows the responses that are being stored, so that an invalidation reaches them too. A response that was on its way when a PUT
/// changed the resource must not be stored afterwards.
final class InvalidationLog: Sendable {
    private struct Activity {
        var count = 0
        var generation = 0
    }

    private struct State {
        var activities: [String: Activity] = [:]
        /// The times of failed removals by URL. Older responses to the URL are not used.
        var failedRemovals: [String: Date] = [:]
        var failedRemovalOfAll: Date?
        /// The IDs of single responses that could not be removed.
        var failedEntries: Set<String> = []
    }

    private let state = Locked(State())

    /// Permission to store one response. Ends when it is released.
    final class Permit: Sendable {
        private let log: InvalidationLog
        private let url: String
        private let generation: Int

        fileprivate init(log: InvalidationLog, url: String, generation: Int) {
            self.log = log
            self.url = url
            self.generation = generation
        }

        deinit { log.end(url) }

        /// Whether nothing was invalidated since the permit was given.
        var isValid: Bool { log.generation(of: url) == generation }
    }

    func begin(_ url: String) -> Permit {
        let generation = state.withLock { state in
            state.activities[url, default: Activity()].count += 1
            return state.activities[url]?.generation ?? 0
        }
        return Permit(log: self, url: url, generation: generation)
    }

    /// Revokes the permits for that URL.
    func invalidate(_ url: String) { state.withLock { $0.activities[url]?.generation += 1 } }

    func invalidateAll() {
        state.withLock { state in
            for url in state.activities.keys { state.activities[url]?.generation += 1 }
        }
    }

    private func generation(of url: String) -> Int? { state.withLock { $0.activities[url]?.generation } }

    private func end(_ url: String) {
        state.withLock { state in
            state.activities[url]?.count -= 1
            if state.activities[url]?.count == 0 { state.activities[url] = nil }
        }
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
