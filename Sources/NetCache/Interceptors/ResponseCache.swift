public import NetCore

/// An HTTP cache (RFC 9111). It answers requests from stored responses while these are fresh, validates stale ones, and stores
/// new ones.
///
/// ```swift
/// let client = NetworkClient(cache: ResponseCache(maxEntries: 100))
/// ```
///
/// The cache works over any ``HTTPCacheStore``; the default is memory (``NetworkCache``). It follows the header fields of
/// requests and responses: `Cache-Control`, `Expires`, `Age`, `Vary`, `ETag`, `Last-Modified`, `Range`, and RFC 5861's
/// `stale-while-revalidate` and `stale-if-error`. `Docs/Caching.md` shows the decision as a diagram. The `Cache-Status` of each
/// response (RFC 9211) says what the cache did.
///
/// **Controls of a caller.** A request can have a `Cache-Control` field, or a `URLRequest.cachePolicy` with the same meaning: a
/// reload is an unconditional `no-cache`, `.returnCacheDataElseLoad` is `max-stale`, and `.returnCacheDataDontLoad` is
/// `only-if-cached, max-stale`, which gives a 504 if nothing is stored. The `expireTime` of a ``CachePolicy`` replaces the
/// lifetime in the response, but not `no-store` and `no-cache`.
///
/// **Users.** The key includes ``RequestContext/identity``, so one user's response never reaches another user. A response to a
/// request to which an interceptor behind the cache added credentials is not stored, unless the partition is set.
///
/// **Bodies** are stored while the caller reads them. A body that is not read to its end is not stored.
///
/// A failure of the store costs a hit or an entry, never the request.
public final class ResponseCache: HTTPCaching {
    /// The settings of the cache.
    public var rules: CacheRules { engine.rules }

    let engine: CacheEngine

    /// A cache in memory for the whole process: `NetworkClient(cache: .shared)`.
    public static let shared = ResponseCache()

    /// Creates a cache over a store.
    ///
    /// - Parameters:
    ///   - store: the store of the responses.
    ///   - rules: by default those of a private cache that follows the standard.
    public init(store: any HTTPCacheStore, rules: CacheRules = CacheRules()) {
        engine = CacheEngine(store: store, rules: rules)
    }

    /// Creates a cache in memory.
    ///
    /// - Parameters:
    ///   - maxEntries: the maximum number of responses.
    ///   - maxBytes: the maximum number of bytes of all bodies; 50 MiB by default. A larger body is not stored.
    ///   - rules: by default those of a private cache that follows the standard.
    public convenience init(
        maxEntries: Int = 1000, maxBytes: Int = 50 * 1024 * 1024, rules: CacheRules = CacheRules()
    ) {
        self.init(store: NetworkCache(maxBytes: maxBytes, maxEntries: maxEntries), rules: rules)
    }

    deinit { engine.background.end() }

    /// Answers from the store, or sends the request and stores the response.
    ///
    /// - Throws: the errors of `next`. Reading the body throws the errors of its source.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await engine.respond(to: request, next: next)
    }

    /// Removes every stored response that could answer this request, of all owners. Responses on their way from the server are
    /// not stored either.
    public func invalidate(for request: URLRequest) async {
        guard let url = request.url, let address = CacheAddress(url, ignoringQueryItems: rules.ignoredQueryItems) else {
            return
        }
        await engine.store.invalidate(address.text, at: Date())
    }

    /// Removes all stored responses. Responses on their way from the server are not stored either.
    public func invalidateAll() async {
        await engine.store.invalidateAll(at: Date())
    }
}

extension HTTPCaching where Self == ResponseCache {
    /// A cache in memory for the whole process: ``ResponseCache/shared``.
    public static var shared: ResponseCache { ResponseCache.shared }
}

/// Runs revalidations in the background, one at a time for each stored response (RFC 5861, section 3). They end with the cache.
final class BackgroundWork: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        var isEnded = false
    }

    private let state = Locked(State())

    /// Runs an operation, unless one with that name already runs.
    func start(_ name: String, operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isEnded, state.tasks[name] == nil else { return }
            // The task waits for this lock before it ends, so it is in the list by then.
            state.tasks[name] = Task(priority: .utility) { [weak self] in
                await operation()
                self?.state.withLock { $0.tasks[name] = nil }
            }
        }
    }

    /// Cancels all operations, and starts no more.
    func end() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            state.isEnded = true
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
    }

    /// Waits until no operation runs.
    func wait() async {
        while let task = state.withLock({ $0.tasks.first?.value }) { await task.value }
    }

    var count: Int { state.withLock { $0.tasks.count } }
}

/// Notifies the user of a client, once, why responses are not stored, or are stored more often than necessary.
final class CacheNotices: Sendable {
    private struct State {
        var reported: Set<String> = []
        var owners: [String: [RequestIdentity]] = [:]
        /// The hosts of responses that could not be removed; nil for all hosts.
        var failed: Set<String?> = []
    }

    private let state = Locked(State())

    /// The number of identities of one URL, different in one custom field only, that causes a notice.
    private static let ownerThreshold = 8
    private static let urlLimit = 256

    /// Reports fields that were added behind the cache, so that the response is not stored.
    func reportAdditions(_ fields: [String], _ call: CacheCall) {
        let names = fields.map { $0 == OwnedChanges.End.url ? "a change of the URL" : $0 }.joined(separator: ", ")
        report(
            "Responses of \(call.urlRequest.url?.host ?? "a host") are not stored: an interceptor behind the cache adds \(names). Add it in "
                + "`adapt` or by an AuthenticationProvider, conform the interceptor to CredentialOwner, or set the partition.",
            call)
    }

    /// Records the owner of a request, to find a custom field that gives every request another owner.
    func note(_ call: CacheCall) {
        guard call.identity.credentialNames.count > 0 else { return }
        let field = state.withLock { state -> String? in
            if state.owners.count >= Self.urlLimit { state.owners = [:] }
            var known = state.owners[call.key.url] ?? []
            guard known.count < Self.ownerThreshold, !known.contains(call.identity) else { return nil }
            known.append(call.identity)
            state.owners[call.key.url] = known
            return known.count == Self.ownerThreshold ? RequestIdentity.onlyDifference(among: known) : nil
        }
        guard let field, !CredentialFields.isStandardCredential(field) else { return }
        report(
            "\(Self.ownerThreshold) requests for one URL of \(call.urlRequest.url?.host ?? "a host") differ in the field \(field) only, which counts as "
                + "a credential, so that they share no stored response. If it does not identify the user, add it to harmlessFields.",
            call)
    }

    /// Records that responses of the URL's host, or of all hosts, could not be removed.
    func noteFailedRemoval(of url: String?) {
        state.withLock { state in
            if state.failed.count < Self.urlLimit {
                _ = state.failed.insert(url.map { URL(string: $0)?.host ?? "a host" })
            }
        }
    }

    /// Reports failed removals once for each host, with the next call.
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

    private func report(_ text: String, _ call: CacheCall) { report(text, call.next.context) }

    private func report(_ text: String, _ context: RequestContext) {
        let isNew = state.withLock { state in
            if state.reported.count >= Self.urlLimit { state.reported = [] }
            return state.reported.insert(text).inserted
        }
        if isNew { context.notify(.notice(text)) }
    }
}
