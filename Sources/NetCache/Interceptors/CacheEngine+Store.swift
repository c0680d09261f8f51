import NetCore

/// The times of a request and its response, and whether the response may still be stored.
struct ResponseTiming: Sendable {
    let permit: InvalidationLog.Permit
    /// The generation before the request was sent; nil for a store without generations.
    var generation: HTTPCacheEntry.Generation?
    /// Whether the store could tell the generation.
    var isStorable = true
    let requestTime: Date
    var responseTime: Date
}

// The store as the engine sees it. A failure of the store costs a hit or an entry, never the request.
extension CacheEngine {
    /// Takes the permit and the generation of the URL before the request is sent. What is stored or updated later needs them.
    func begin(_ call: CacheCall) async -> ResponseTiming {
        let now = call.clock.now
        var timing = ResponseTiming(permit: log.begin(call.key.url), requestTime: now, responseTime: now)
        guard call.mayStore else { return timing }
        do {
            timing.generation = try await store.generation(of: call.key.url)
        } catch {
            // An invalidation before the response arrives would go unnoticed.
            timing.isStorable = false
        }
        return timing
    }

    /// Removes responses, given with the newest first. This process no longer uses one that cannot be removed. The oldest goes first. Otherwise a
    /// caller that looks them up meanwhile could get one that is older than what another caller has already seen.
    func remove(_ entries: [HTTPCacheEntry], for key: HTTPCacheKey) async {
        for entry in entries.reversed() {
            do {
                try await store.remove(entry, for: key)
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
        return (try? await store.update(entry, for: key, replacing: old, since: timing.generation)) ?? false
    }

    /// Stops the storing of all responses to the URL that are older than one that arrived now.
    func supersede(_ url: String) async {
        log.invalidate(url)
        // If it fails, the log stops this process, and the store does not accept responses from other processes either.
        try? await store.advanceGeneration(of: url)
    }

    /// Removes all responses to the URL, and returns whether the store did. This process no longer uses a response that cannot be removed.
    @discardableResult
    func invalidate(_ url: String, at date: Date) async -> Bool {
        log.invalidate(url)
        do {
            try await store.removeAll(url: url)
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
            try await store.removeAll()
        } catch {
            log.noteFailedRemoval(of: nil, at: date)
            notices.noteFailedRemoval(of: nil)
        }
    }
}
