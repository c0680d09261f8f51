import NetCore

/// Tells the user of a client, once, why responses are not stored, or are stored more often than necessary.
final class CacheNotices: Sendable {
    private struct State {
        var reported: Set<String> = []
        /// The identities for which responses to a URL were stored lately.
        var owners: [String: [RequestIdentity]] = [:]
        /// How often a custom field alone, or with others, made another owner.
        var misses: [String: Int] = [:]
        /// The hosts of responses that could not be removed; nil for all hosts.
        var failed: Set<String?> = []
    }

    private let state = Locked(State())
    /// The fields of which the process has been told.
    private static let reportedFields = Locked<Set<String>>([])

    /// The number of misses by a field, over all URLs, that causes a notice.
    private static let missThreshold = 8
    private static let ownersOfURL = 8
    private static let limit = 2048

    /// Reports fields that were added behind the cache, so that the response is not stored.
    func reportAdditions(_ fields: [String], _ call: CacheCall) {
        let names = fields.map { $0 == RequestChanges.url ? "a change of the URL" : $0 }.joined(separator: ", ")
        report(
            "Responses of \(call.request.urlRequest.url?.host ?? "a host") are not stored: an interceptor behind the cache adds \(names). Add it in "
                + "`adapt` or by an AuthenticationProvider, conform the interceptor to CredentialOwner, or set the partition.",
            call.next.context)
    }

    func noteStored(_ call: CacheCall) {
        state.withLock { state in
            if state.owners[call.key.url] == nil, state.owners.count >= Self.limit { state.owners = [:] }
            var known = state.owners[call.key.url] ?? []
            guard known.last != call.request.identity else { return }
            known.removeAll { $0 == call.request.identity }
            known.append(call.request.identity)
            state.owners[call.key.url] = known.suffix(Self.ownersOfURL)
        }
    }

    /// Returns why no response of another owner answers a call: `other-owner` with the differing parts, or `cookie-epoch`; nil if there is none.
    func otherOwner(of call: CacheCall) -> String? {
        guard let known = state.withLock({ $0.owners[call.key.url] }) else { return nil }
        let differences = known.map { $0.differences(from: call.request.identity) }.filter { !$0.isEmpty }
        guard let parts = differences.min(by: { $0.count < $1.count }) else { return nil }
        if parts == ["cookie-epoch"] { return "cookie-epoch" }
        let custom = parts.filter {
            !CredentialFields.isStandardCredential($0) && !RequestIdentity.partNames.contains($0) && $0 != "@"
        }
        noteMiss(by: custom, call.next.context)
        return "other-owner(\(parts.joined(separator: " ")))"
    }

    private func noteMiss(by fields: [String], _ context: RequestContext) {
        guard !fields.isEmpty else { return }
        let isFrequent = state.withLock { state in
            if state.misses.count >= Self.limit { state.misses = [:] }
            for field in fields { state.misses[field, default: 0] += 1 }
            return fields.contains { state.misses[$0] ?? 0 >= Self.missThreshold }
        }
        guard isFrequent,
            Self.reportedFields.withLock({ reported in
                defer { reported.formUnion(fields) }
                return !fields.allSatisfy(reported.contains)
            })
        else { return }
        context.notifyAndLog(
            "Requests that differ in \(fields.joined(separator: ", ")) share no stored response, since such a name says a secret or a user. "
                + "If it does not, add it to sharedFields of the client's configuration.",
            of: .cache)
    }

    /// Records that responses of the URL's host, or of all hosts, could not be removed.
    func noteFailedRemoval(of url: String?) {
        state.withLock { state in
            if state.failed.count < Self.limit {
                _ = state.failed.insert(url.map { URL(string: $0)?.host ?? "a host" })
            }
        }
    }

    /// Reports failed removals once for each host, with the next request to a server.
    func reportFailedRemovals(_ context: RequestContext) {
        let failed = state.withLock { state in
            defer { if !state.failed.isEmpty { state.failed = [] } }
            return state.failed
        }
        for host in failed {
            report(
                "Stored responses\(host.map { " of \($0)" } ?? "") could not be removed from the store. This process no longer uses "
                    + "them. Another process with the same store may. Make the store's folder writable, or delete it.",
                context)
        }
    }

    private func report(_ text: String, _ context: RequestContext) {
        let isNew = state.withLock { state in
            if state.reported.count >= Self.limit { state.reported = [] }
            return state.reported.insert(text).inserted
        }
        if isNew { context.notify(.notice(text), of: .cache) }
    }
}
