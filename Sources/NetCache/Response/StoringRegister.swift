import NetCore

/// The responses that are being stored, so that an invalidation reaches them as well: what was on its way when a PUT changed the
/// resource must not be stored after it.
final class StoringRegister: Sendable {
    private struct Activity {
        var count = 0
        var generation = 0
    }

    private struct State {
        var activities: [String: Activity] = [:]
        /// What a store could not remove is not used: everything older than that.
        var lostInvalidations: [String: Date] = [:]
        var lostInvalidationOfAll: Date?
        /// The names of single responses that could not be removed.
        var lostEntries: Set<String> = []
    }

    private let state = Locked(State())

    /// Leave to store one response. It ends when it is released.
    final class Permit: Sendable {
        private let register: StoringRegister
        private let url: String
        private let generation: Int

        fileprivate init(register: StoringRegister, url: String, generation: Int) {
            self.register = register
            self.url = url
            self.generation = generation
        }

        deinit { register.end(url) }

        /// Whether nothing was invalidated since it was given.
        var isValid: Bool { register.generation(of: url) == generation }
    }

    func begin(_ url: String) -> Permit {
        let generation = state.withLock { state in
            state.activities[url, default: Activity()].count += 1
            return state.activities[url]?.generation ?? 0
        }
        return Permit(register: self, url: url, generation: generation)
    }

    /// Takes back what was given for that URL.
    func invalidate(_ url: String) {
        state.withLock { $0.activities[url]?.generation += 1 }
    }

    func invalidateAll() {
        state.withLock { state in
            for url in state.activities.keys { state.activities[url]?.generation += 1 }
        }
    }

    private func generation(of url: String) -> Int? {
        state.withLock { $0.activities[url]?.generation }
    }

    private func end(_ url: String) {
        state.withLock { state in
            state.activities[url]?.count -= 1
            if state.activities[url]?.count == 0 { state.activities[url] = nil }
        }
    }

    // MARK: What could not be removed

    /// More of them than that, and nothing older is used at all.
    private static let limit = 10_000

    /// - Parameter url: nil for all.
    func lose(_ url: String?, at date: Date) {
        state.withLock { state in
            if let url, state.lostInvalidations.count < Self.limit {
                state.lostInvalidations[url] = date
            } else {
                state.lostInvalidationOfAll = date
            }
        }
    }

    /// A response that is newer than what the store has of it may not be stored.
    func lose(_ entry: HTTPCacheEntry) {
        state.withLock { state in
            if state.lostEntries.count < Self.limit {
                state.lostEntries.insert(entry.id)
            } else {
                state.lostInvalidationOfAll = max(state.lostInvalidationOfAll ?? .distantPast, entry.responseTime)
            }
        }
    }

    /// The store has removed what it could not remove before.
    func find(_ url: String) {
        state.withLock { state in
            if !state.lostInvalidations.isEmpty { state.lostInvalidations[url] = nil }
        }
    }

    /// Those of the entries that no failed invalidation was about.
    func usable(_ entries: [HTTPCacheEntry], for url: String) -> [HTTPCacheEntry] {
        guard !entries.isEmpty else { return entries }
        return state.withLock { state in
            let limits = [state.lostInvalidations[url], state.lostInvalidationOfAll].compactMap { $0 }
            guard !limits.isEmpty || !state.lostEntries.isEmpty else { return entries }
            let limit = limits.max() ?? .distantPast
            return entries.filter { $0.responseTime > limit && !state.lostEntries.contains($0.id) }
        }
    }
}
