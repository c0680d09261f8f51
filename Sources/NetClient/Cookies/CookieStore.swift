public import NetCore

/// The cookies of an app (RFC 6265bis): what responses have set, for the requests that follow.
///
/// A client adds the cookies of its store to each request and keeps those of each response. All methods are synchronous and can be
/// called from any thread.
///
/// ```swift
/// let cookies = CookieStore(file: folder.appendingPathComponent("cookies"))
/// cookies.removeAll(for: "example.com")
/// ```
///
/// A store holds at most 4,096 bytes a cookie, 180 cookies a site and 3,000 in all, for at most 400 days. If there are more, it
/// drops expired ones first, then those that were not used for the longest time.
public final class CookieStore: Sendable {
    struct State {
        var jar = CookieJar()
        var name: String
        /// Nil for a store in memory.
        var file: FileState?
        /// ``CookieEpochs/revision`` of the epochs that were last read or written.
        var savedRevision: UInt64 = 0
        /// Sites of hosts, since asking for them costs a walk through a list.
        var siteOfHost: [String: String] = [:]
        var streams: [UInt64: AsyncStream<CookieChange>.Continuation] = [:]
        var lastStream: UInt64 = 0
    }

    let state: Locked<State>
    let clock: any NetworkClock
    let suffixes: CookieSuffixes
    /// Nil for a store of our own.
    let system: SystemCookies?
    let problems = CookieProblems()

    /// A store.
    ///
    /// - Parameters:
    ///   - file: The file that keeps cookies with an expiration date, readable by its owner only. The store reads it at the first
    ///     use and writes it in the background. Nil for cookies in memory only.
    ///   - publicSuffixFile: A list in the format of publicsuffix.org. The default is the system's: libpsl, else the file of the
    ///     `publicsuffix` package. Without a list all cookies are host-only.
    ///   - clock: The clock for expiration dates.
    public convenience init(file: URL? = nil, publicSuffixFile: URL? = nil, clock: any NetworkClock = .system) {
        self.init(file: file, publicSuffixFile: publicSuffixFile, clock: clock, system: nil)
    }

    init(file: URL?, publicSuffixFile: URL?, clock: any NetworkClock, system: SystemCookies?) {
        var state = State(name: Self.randomName())
        if let file, file.isFileURL {
            state.file = FileState(file: CookieFile(path: file.path))
        } else if let file {
            problems.report(.reading, "Cookies are kept in memory only: \(file) is not a file URL.")
        }
        self.state = Locked(state)
        self.clock = clock
        suffixes = CookieSuffixes(file: publicSuffixFile)
        self.system = system
    }

    /// The store of the process.
    ///
    /// On Apple's systems it stays in step with `HTTPCookieStorage.shared`, which web views and other sessions use too. That storage has
    /// limits: it keeps no `SameSite=None` and no order of creation over a launch, decides itself which domains are public suffixes,
    /// and a site means the last two labels of a host. On Linux the store is in memory.
    public static let shared = makeShared()

    /// A new store of our own, in memory.
    public static var `private`: CookieStore { CookieStore() }

    deinit {
        // Nothing may be scheduled any more.
        state.withLock { $0.file?.isScheduled = true }
        save()
        for stream in state.withLock({ $0.streams.values }) { stream.finish() }
    }

    private static func randomName() -> String {
        "cookies-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Called once for each kind of problem, also for those from before it was set: a list of suffixes that is missing, a file
    /// that cannot be read or written. No problem fails a request.
    package var onProblem: (@Sendable (String) -> Void)? {
        get { problems.handler }
        set { problems.handler = newValue }
    }

    // MARK: Reading

    /// All cookies that have not expired.
    public var cookies: [Cookie] {
        access { state, now in
            state.jar.removeExpired(at: now)
            return state.jar.cookies
        }
    }

    /// Returns the cookies that a request to the URL carries, in the order of its `Cookie` field.
    ///
    /// - Parameter url: An `http`, `https`, `ws` or `wss` URL. Other URLs have no cookies.
    public func cookies(for url: URL) -> [Cookie] {
        guard let target = CookieTarget(url) else { return [] }
        return access { state, now in
            var cookies: [Cookie] = []
            let site = self.site(of: target.host, in: &state)
            state.jar.use(site: site, for: target, method: .get, isCrossSite: false, at: now) { cookies.append($0) }
            return cookies
        }
    }

    /// The changes from now on, of the app, of servers and of time. An expired cookie is reported when the store next looks at its
    /// site. A consumer that is 1,024 changes behind loses the oldest ones.
    public var changes: AsyncStream<CookieChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CookieChange.self, bufferingPolicy: .bufferingNewest(1024))
        let id = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            return state.lastStream
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[id] = nil } }
        return stream
    }

    // MARK: Changing

    /// Stores a cookie, in place of one with the same name, domain and path. One that has expired removes the other.
    ///
    /// - Returns: Whether the cookie is one that a server could set. Otherwise the store does not change: characters or sizes that
    ///   RFC 6265bis forbids, a public suffix as domain, a `__Host-` or `__Secure-` name without its attributes,
    ///   `SameSite=None` without `Secure`.
    @discardableResult
    public func set(_ cookie: Cookie) -> Bool {
        access { state, now in
            guard let cookie = checked(cookie, now: now) else { return false }
            let site = self.site(of: cookie.domain, in: &state)
            state.jar.put(cookie, site: site, from: .deliberate, at: now)
            return true
        }
    }

    /// Removes cookies of that name.
    ///
    /// - Parameters:
    ///   - name: The name, with regard to case.
    ///   - domain: The cookie's domain. A dot in front does not matter.
    ///   - path: The cookie's path; nil for all paths.
    public func remove(name: String, domain: String, path: String? = nil) {
        let domain = Cookie(name: name, value: "", domain: domain).domain
        access { state, _ in
            state.jar.remove(from: self.site(of: domain, in: &state)) {
                $0.name == name && $0.domain == domain && path.map($0.path.elementsEqual) ?? true
            }
        }
    }

    /// Removes all cookies that requests to the host or its subdomains carry.
    ///
    /// - Parameter host: A host name or address, as in a URL.
    public func removeAll(for host: String) {
        let host = host.asciiLowercased
        access { state, _ in
            state.jar.remove(from: self.site(of: host, in: &state)) {
                $0.domain.domainMatches(host) || host.domainMatches($0.domain)
            }
        }
    }

    /// Removes all cookies.
    public func removeAll() {
        access { state, _ in
            state.jar.removeAll()
            // Also what another process has written meanwhile.
            state.file?.isReplaced = true
        }
    }
}
