/// Stores the cookies that responses set, for later requests (RFC 6265bis).
///
/// A client adds the cookies of its store to each request and stores those of each response. All methods are synchronous and thread-safe.
///
/// ```swift
/// let cookies = CookieStore(file: folder.appendingPathComponent("cookies"))
/// cookies.removeAll(for: "example.com")
/// ```
///
/// A store holds at most 4,096 bytes a cookie, 180 cookies a site and 3,000 in all, for at most 400 days. Beyond that it drops expired
/// cookies first, then the least recently used.
public final class CookieStore: Sendable {
    struct State {
        var jar = CookieJar()
        var name: String
        /// Nil for a store in memory.
        var file: FileState?
        /// ``CookieEpochs/revision`` of the epochs that were last read or written.
        var savedRevision: UInt64 = 0
        /// The sites of hosts, cached since a lookup walks through a list.
        var siteOfHost: [String: String] = [:]
    }

    let state: Locked<State>
    private let broadcast = Broadcast<Change>()
    let clock: any NetworkClock
    /// The public suffixes; nil without a list.
    var suffixes: PublicSuffixes? { usesSystemSuffixes ? .system : ownSuffixes }
    private let usesSystemSuffixes: Bool
    private let ownSuffixes: PublicSuffixes?
    /// Nil for a store that is not the system's.
    let system: SystemCookies?
    /// Called once for each kind of problem, on a queue of the stores.
    private let onProblem: @Sendable (String) -> Void
    private let reported = Locked<Set<Problem>>([])
    static let queue = IOQueue(label: "networking.cookies")

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - file: The file for cookies with an expiration date, readable by its owner only. The store reads it at the first use and
    ///     writes it in the background. Nil for cookies in memory only.
    ///   - publicSuffixFile: A list in the format of publicsuffix.org, which is read at once. The default is the system's: libpsl, else
    ///     the file of the `publicsuffix` package. Without a list all cookies are host-only. Before iOS 17 and macOS 14, so are those of
    ///     international names if a list has international suffixes.
    ///   - clock: The clock for expiration dates.
    public convenience init(file: URL? = nil, publicSuffixFile: URL? = nil, clock: any NetworkClock = .system) {
        self.init(file: file, publicSuffixFile: publicSuffixFile, clock: clock, system: nil)
    }

    init(
        file: URL?, publicSuffixFile: URL?, clock: any NetworkClock, system: SystemCookies?,
        onProblem: @escaping @Sendable (String) -> Void = ProcessLog.write
    ) {
        var state = State(name: "cookies-" + String(UInt64.random(in: .min ... .max), radix: 16))
        if let file, file.isFileURL { state.file = FileState(path: file.path) }
        self.state = Locked(state)
        self.clock = clock
        usesSystemSuffixes = publicSuffixFile == nil
        ownSuffixes = publicSuffixFile.flatMap { try? PublicSuffixes(contentsOf: $0) }
        self.system = system
        self.onProblem = onProblem
        if let file, !file.isFileURL { report(.reading, "Cookies are kept in memory only: \(file) is not a file URL.") }
        if let publicSuffixFile, ownSuffixes == nil {
            report(
                .suffixes,
                """
                The list of public suffixes \(publicSuffixFile.path) cannot be read: cookies go back only to the host that set \
                them.
                """)
        }
    }

    /// The store of the process.
    ///
    /// On Apple platforms it stays in step with `HTTPCookieStorage.shared`, which web views and other sessions use too. That storage
    /// does not keep `SameSite=None`, or the order of creation across launches. It decides which domains are public suffixes, and a
    /// site is the last two labels of a host. On Linux the store is in memory.
    public static let shared: CookieStore = {
        #if canImport(Darwin)
            return CookieStore(system: .shared, epochFile: epochFile)
        #else
            return CookieStore()
        #endif
    }()

    /// A new store in memory.
    public static var `private`: CookieStore { CookieStore() }

    deinit {
        // Prevents a scheduled write.
        state.withLock { $0.file?.isScheduled = true }
        save()
    }

    /// A change of a ``CookieStore``.
    public struct Change: Hashable, Sendable {
        /// What happened to a cookie.
        public enum Kind: Hashable, Sendable {
            /// The cookie is new, or has a new value or new attributes.
            case set
            /// The app or the server removed the cookie.
            case removed
            /// The cookie expired.
            case expired
            /// The store had too many cookies.
            case evicted
        }

        /// What happened to the cookie.
        public let kind: Kind
        /// The cookie as it is now, or as it was before it was removed.
        public let cookie: Cookie
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

    /// The changes from now on, by the app, by servers and by expiration. An expired cookie is reported at the next access to its site.
    /// A stream that is 1,024 changes behind loses the oldest ones.
    public var changes: AsyncStream<Change> { broadcast.stream(bufferingNewest: 1024) }

    // MARK: Changing

    /// Stores a cookie, and replaces one with the same name, domain and path. An expired cookie removes the other.
    ///
    /// - Returns: Whether the cookie is valid. The store refuses characters or sizes that RFC 6265bis forbids, a public suffix as
    ///   domain, a `__Host-` or `__Secure-` name without its attributes, and `SameSite=None` without `Secure`.
    @discardableResult
    public func set(_ cookie: Cookie) -> Bool {
        access { state, now in
            guard let cookie = checked(cookie, now: now) else { return false }
            let site = self.site(of: cookie.domain, in: &state)
            state.jar.put(cookie, site: site, from: .deliberate, at: now)
            return true
        }
    }

    /// Removes cookies by name.
    ///
    /// - Parameters:
    ///   - name: The name. Case matters.
    ///   - domain: The cookie's domain. A dot in front does not matter.
    ///   - path: The cookie's path; nil for all paths.
    public func remove(name: String, domain: String, path: String? = nil) {
        let domain = Cookie(name: name, value: "", domain: domain).domain
        access { state, _ in
            state.jar.remove(from: self.site(of: domain, in: &state), as: .removed) {
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
            let site = self.site(of: host, in: &state)
            state.jar.epochs.move(site)
            state.jar.remove(from: site, as: .removed) {
                $0.domain.domainMatches(host) || host.domainMatches($0.domain)
            }
        }
    }

    /// Removes all cookies.
    public func removeAll() {
        access { state, _ in
            state.jar.removeAll()
            // Also cookies that another process has written meanwhile.
            state.file?.isReplaced = true
        }
    }
}

extension CookieStore {
    /// Calls a closure with the state under its lock, then reports what it changed.
    func access<Result>(_ body: (inout State, Date) -> Result) -> Result {
        defer { system?.write() }
        return state.withLock { state in
            let now = clock.now
            prepare(&state, now: now)
            let result = body(&state, now)
            let changes = state.jar.takeChanges()
            if state.file != nil {
                if !changes.isEmpty || state.savedRevision != state.jar.epochs.revision { state.file?.note(changes) }
                schedule(&state)
            }
            system?.add(changes)
            send(changes)
            return result
        }
    }

    /// Sends changes to the streams. Call it under the lock, so that all streams see one order.
    func send(_ changes: [Change]) { for change in changes { broadcast.send(change) } }

    /// Reads the file and the system's storage, before the jar is used.
    func prepare(_ state: inout State, now: Date) {
        if state.file?.isLoaded == false { load(&state, now: now) }
        if let system { adopt(system, in: &state, now: now) }
    }

    /// The site of a host: its registrable domain. An address, a public suffix, and any host without a list are their own site.
    func site(of host: String, in state: inout State) -> String {
        if let site = state.siteOfHost[host] { return site }
        if state.siteOfHost.count >= 1024 { state.siteOfHost = [:] }
        let site: String
        if host.isAddressLike {
            site = host
        } else if let suffixes {
            site = suffixes.registrableDomain(of: host) ?? host
        } else {
            // The system's storage has cookies for domains, but no list of suffixes.
            site = system == nil ? host : host.lastTwoLabels
        }
        state.siteOfHost[host] = site
        return site
    }

    /// The app's cookie as a server could have set it; nil if no server could.
    func checked(_ cookie: Cookie, now: Date) -> Cookie? {
        var cookie = cookie
        guard cookie.isWellFormed, cookie.keepsPrefix, cookie.sameSite != .none || cookie.isSecure else { return nil }
        if !cookie.isHostOnly, system == nil {
            if cookie.domain.isAddressLike { return nil }
            guard let suffixes else {
                reportMissingSuffixes()
                return nil
            }
            if suffixes.contains(cookie.domain) { return nil }
        }
        cookie.expires = cookie.expires.map { min($0, now.addingTimeInterval(SetCookieField.maximumAge)) }
        cookie.creation = now
        cookie.lastAccess = now
        return cookie
    }

    /// The problems that a store reports, each once. None fails a request.
    enum Problem { case suffixes, reading, writing }

    func report(_ problem: Problem, _ text: String) {
        guard reported.withLock({ $0.insert(problem).inserted }) else { return }
        Self.queue.start { [onProblem] in onProblem(text) }
    }

    func reportMissingSuffixes() {
        report(
            .suffixes,
            """
            No list of public suffixes: cookies go back only to the host that set them. Install libpsl or the publicsuffix \
            package, or give the store a file.
            """)
    }
}
