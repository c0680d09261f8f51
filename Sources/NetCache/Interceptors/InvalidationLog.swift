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

/// The times of a request and its response, and whether the response may still be stored.
struct ResponseTiming: Sendable {
    let permit: InvalidationLog.Permit
    /// The generation before the request was sent; nil for a store without generations.
    var generation: HTTPCacheEntry.Generation?
    /// Whether the store could tell the generation.
    var isStorable = true
    let requestTime: Date
    var responseTime: Date

    init(permit: InvalidationLog.Permit, requestTime: Date) {
        self.permit = permit
        self.requestTime = requestTime
        responseTime = requestTime
    }
}

/// The store as the engine sees it. A failure of the store costs a hit or an entry, never the request.
struct EngineStore: Sendable {
    let base: any HTTPCacheStore
    let log = InvalidationLog()
    let notices = CacheNotices()

    func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
        do {
            return log.usable(try await base.entries(for: key), for: key.url)
        } catch {
            return []
        }
    }

    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async -> HTTPBody? {
        do {
            return try await base.body(of: entry, for: key)
        } catch {
            return nil
        }
    }

    /// Takes the permit and the generation of the URL before the request is sent. What is stored or updated later needs them.
    func begin(_ call: CacheCall) async -> ResponseTiming {
        var timing = ResponseTiming(permit: log.begin(call.key.url), requestTime: call.clock.now)
        guard call.mayStore, !call.request.directives.noStore else { return timing }
        do {
            timing.generation = try await base.generation(of: call.key.url)
        } catch {
            // An invalidation before the response arrives would go unnoticed.
            timing.isStorable = false
        }
        return timing
    }

    /// Removes responses. This process no longer uses one that cannot be removed.
    ///
    /// The oldest goes first. Otherwise a caller that looks them up meanwhile could get one that is older than what another caller has
    /// already seen.
    ///
    /// - Parameter entries: the newest first, as a store returns them.
    func remove(_ entries: [HTTPCacheEntry], for key: HTTPCacheKey) async {
        for entry in entries.reversed() {
            do {
                try await base.remove(entry, for: key)
            } catch {
                log.noteFailedRemoval(of: entry)
                notices.noteFailedRemoval(of: key.url)
            }
        }
    }

    /// Replaces the head that was looked up. Returns whether the store replaced it.
    func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry, at timing: ResponseTiming
    ) async -> Bool {
        guard timing.isStorable else { return false }
        do {
            return try await base.update(entry, for: key, replacing: old, since: timing.generation)
        } catch {
            return false
        }
    }

    /// Stops the storing of all responses to the URL that are older than one that arrived now.
    func supersede(_ url: String) async {
        log.invalidate(url)
        do {
            try await base.advanceGeneration(of: url)
        } catch {
            // The log stops this process. A failing store does not accept responses from other processes either.
            return
        }
    }

    /// Removes all responses to the URL. This process no longer uses a response that cannot be removed.
    ///
    /// - Returns: whether the store removed all of them.
    @discardableResult
    func invalidate(_ url: String, at date: Date) async -> Bool {
        log.invalidate(url)
        do {
            try await base.removeAll(url: url)
            log.noteRemoval(of: url)
            return true
        } catch {
            log.noteFailedRemoval(of: url, at: date)
            notices.noteFailedRemoval(of: url)
            return false
        }
    }

    func invalidateAll(at date: Date) async {
        log.invalidateAll()
        do {
            try await base.removeAll()
        } catch {
            log.noteFailedRemoval(of: nil, at: date)
            notices.noteFailedRemoval(of: nil)
        }
    }
}
