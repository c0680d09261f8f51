public import NetCore

/// An HTTP cache (RFC 9111): answers requests from stored responses for as long as these say, asks the server whether they are still
/// good, and stores what comes.
///
/// ```swift
/// let client = NetworkClient(cache: ResponseCache(maxEntries: 100))
/// ```
///
/// It stands in a client's place for a cache, over any ``HTTPCacheStore``: memory (``NetworkCache``) unless another is given. What the
/// server's header fields and the request's say is done, to the letter: `Cache-Control`, `Expires`, `Age`, `Vary`, `ETag`,
/// `Last-Modified`, `Range`, and RFC 5861's `stale-while-revalidate` and `stale-if-error`. `Docs/Caching.md` has the decision as a
/// picture. Each response tells in `Cache-Status` (RFC 9211) what happened.
///
/// **What a caller can say.** `Cache-Control` in the request; or `URLRequest.cachePolicy`, which means the same (a reload is an
/// unconditional `no-cache`, `.returnCacheDataElseLoad` is `max-stale`, `.returnCacheDataDontLoad` is `only-if-cached, max-stale` and
/// gives a 504 if nothing is stored); or a ``CachePolicy``, whose `expireTime` replaces the freshness that the response claims, and
/// nothing else: `no-store` and `no-cache` stand.
///
/// **Whose response.** Users are kept apart by ``RequestContext/partition`` and by a digest of `Authorization`, `Cookie`, `X-API-Key`
/// and `X-Auth-Token`, where the request has them when it comes by. Credentials that are added further in cannot be seen in time: a
/// response to a request that was *sent* with more of them is not stored, unless the partition is set.
///
/// **Bodies** go into the store while the caller reads them, and are stored when they were read to their end. What is dropped
/// before is not stored.
///
/// Trouble in the store costs a hit or an entry, never the request.
public final class ResponseCache: HTTPCaching {
    /// What this cache may decide by itself.
    public var rules: CacheRules { engine.rules }

    let engine: CacheEngine

    /// A cache in memory for the whole process, for clients that need no other: `NetworkClient(cache: .shared)`.
    public static let shared = ResponseCache()

    /// A cache over a store.
    ///
    /// - Parameters:
    ///   - store: where responses are kept.
    ///   - rules: a private cache that keeps to the standard, unless given.
    public init(store: any HTTPCacheStore, rules: CacheRules = CacheRules()) {
        engine = CacheEngine(store: store, rules: rules)
    }

    /// A cache in memory.
    ///
    /// - Parameters:
    ///   - maxEntries: the most responses to hold.
    ///   - maxBytes: the most bytes of bodies to hold; 50 MiB unless given. A larger body is not stored.
    ///   - rules: a private cache that keeps to the standard, unless given.
    public convenience init(
        maxEntries: Int = 1000, maxBytes: Int = 50 * 1024 * 1024, rules: CacheRules = CacheRules()
    ) {
        self.init(store: NetworkCache(maxBytes: maxBytes, maxEntries: maxEntries), rules: rules)
    }

    deinit { engine.background.end() }

    /// Answers from the store, or sends the request on and stores the response.
    ///
    /// - Throws: what `next` throws. While the body is read, what its source throws.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await engine.respond(to: request, next: next)
    }

    /// Drops every stored response that could answer this request, whosever it is. What is on its way from the server now is not
    /// stored either.
    public func invalidate(for request: URLRequest) async {
        guard let url = request.url, let address = CacheAddress(url, ignoringQueryItems: rules.ignoredQueryItems) else {
            return
        }
        await engine.store.invalidate(address.text, at: Date())
    }

    /// Drops all that is stored, and does not store what is on its way.
    public func invalidateAll() async {
        await engine.store.invalidateAll(at: Date())
    }
}

extension HTTPCaching where Self == ResponseCache {
    /// A cache in memory for the whole process: ``ResponseCache/shared``.
    public static var shared: ResponseCache { ResponseCache.shared }
}

/// Revalidations that nobody waits for, one at a time for each stored response (RFC 5861, section 3). They end with the cache.
final class BackgroundWork: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        var isEnded = false
    }

    private let state = Locked(State())

    /// Runs an operation, unless one of that name runs already.
    func start(_ name: String, operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isEnded, state.tasks[name] == nil else { return }
            // It waits for this lock before it ends, and so finds itself in the list.
            state.tasks[name] = Task(priority: .utility) { [weak self] in
                await operation()
                self?.state.withLock { $0.tasks[name] = nil }
            }
        }
    }

    /// Cancels what runs, and starts nothing more.
    func end() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            state.isEnded = true
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
    }

    /// Waits until nothing runs.
    func wait() async {
        while let task = state.withLock({ $0.tasks.first?.value }) { await task.value }
    }

    var count: Int { state.withLock { $0.tasks.count } }
}

/// Tells the user of a client once why responses are not stored, or are stored more often than need be.
final class CacheNotices: Sendable {
    private struct State {
        var reported: Set<String> = []
        var owners: [String: [RequestIdentity]] = [:]
        /// The hosts of responses that could not be removed; nil for all.
        var failed: Set<String?> = []
    }

    private let state = Locked(State())

    /// As many identities of one URL that differ in one custom field let the user know of it.
    private static let manyOwners = 8
    private static let urlLimit = 256

    /// Fields were added to a request behind the cache, so that its response is not stored.
    func reportAdditions(_ fields: [String], _ call: CacheCall) {
        let names = fields.map { $0 == OwnedChanges.End.url ? "a change of the URL" : $0 }.joined(separator: ", ")
        report(
            "Responses of \(call.urlRequest.url?.host ?? "a host") are not stored: an interceptor behind the cache adds \(names). Add it in "
                + "`adapt` or by an AuthenticationProvider, conform the interceptor to CredentialOwner, or name the partition.",
            call)
    }

    /// Notes whose request it is, to find a custom field that makes every request another owner's.
    func note(_ call: CacheCall) {
        guard call.identity.credentialNames.count > 0 else { return }
        let field = state.withLock { state -> String? in
            if state.owners.count >= Self.urlLimit { state.owners = [:] }
            var known = state.owners[call.key.url] ?? []
            guard known.count < Self.manyOwners, !known.contains(call.identity) else { return nil }
            known.append(call.identity)
            state.owners[call.key.url] = known
            return known.count == Self.manyOwners ? RequestIdentity.onlyDifference(among: known) : nil
        }
        guard let field, !CredentialFields.isStandardCredential(field) else { return }
        report(
            "\(Self.manyOwners) requests for one URL of \(call.urlRequest.url?.host ?? "a host") differ in the field \(field) only, which counts as "
                + "a credential, so that they share no stored response. If it says nothing of the user, add it to harmlessFields.",
            call)
    }

    /// A stored response could not be removed, or none of them for no URL.
    func noteFailedRemoval(of url: String?) {
        state.withLock { state in
            if state.failed.count < Self.urlLimit { _ = state.failed.insert(url.map { URL(string: $0)?.host ?? "a host" }) }
        }
    }

    /// Tells once for each host what could not be removed, with the first call that can.
    func reportFailedRemovals(_ context: RequestContext) {
        let failed = state.withLock { state in
            defer { if !state.failed.isEmpty { state.failed = [] } }
            return state.failed
        }
        for host in failed {
            report(
                "Stored responses\(host.map { " of \($0)" } ?? "") could not be removed from the store. This process does not use them any "
                    + "more; another process with the same store may. Make the store's folder writable, or delete it.",
                context)
        }
    }

    private func report(_ text: String, _ call: CacheCall) { report(text, call.next.context) }

    private func report(_ text: String, _ context: RequestContext) {
        let isNew = state.withLock { state in
            if state.reported.count >= Self.urlLimit { state.reported = [] }
            return state.reported.insert(text).inserted
        }
        if isNew { context.notify(.notice(text)) }
    }
}
