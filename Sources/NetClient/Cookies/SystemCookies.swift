/// An `HTTPCookieStorage` that a store stays in step with. Each takes over the changes of the other.
final class SystemCookies: Sendable {
    private struct State {
        /// Whether other code has changed the storage since it was last read.
        var isStale = true
        /// Changes of the store that the storage does not have yet.
        var writes: [CookieStore.Change] = []
        var isWriting = false
        var observer: (any NSObjectProtocol)?
    }

    private let storage: HTTPCookieStorage
    // The observer is only handed back to the notification center.
    private let state = Locked(State())

    init(_ storage: HTTPCookieStorage) {
        self.storage = storage
        let observer = NotificationCenter.default.addObserver(
            forName: .NSHTTPCookieManagerCookiesChanged, object: nil, queue: nil
        ) { [weak self] _ in self?.state.withLock { $0.isStale = true } }
        state.withLock { $0.observer = observer }
    }

    deinit { if let observer = state.withLock({ $0.observer }) { NotificationCenter.default.removeObserver(observer) } }

    /// Whether the app lets servers set cookies.
    var acceptsCookies: Bool { storage.cookieAcceptPolicy != .never }

    /// Whether Foundation accepts a cookie for that domain from that URL. Foundation knows the public suffixes, and offers no other way to ask.
    func accepts(domain: String, from url: URL) -> Bool {
        !HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "a=b; Domain=\(domain)"], for: url).isEmpty
    }

    /// The cookies of the storage, and the keys for which this store has newer ones; nil if the storage did not change.
    func readChanges() -> (cookies: [Cookie], pending: Set<Cookie.Key>)? {
        let pending = state.withLock { state -> Set<Cookie.Key>? in
            guard state.isStale else { return nil }
            state.isStale = false
            return Set(state.writes.map(\.cookie.key))
        }
        guard let pending else { return nil }
        return ((storage.cookies ?? []).map(Cookie.init), pending)
    }

    /// Queues changes of the store. ``write()`` carries them out.
    func add(_ changes: [CookieStore.Change]) { state.withLock { $0.writes += changes } }

    /// Carries the queued changes out, in order. Call it without a lock: the storage notifies observers, which may call the store.
    func write() {
        while let write = next() {
            if let cookie = write.cookie.httpCookie {
                if write.kind == .set { storage.setCookie(cookie) } else { storage.deleteCookie(cookie) }
            }
            state.withLock { state in
                state.writes.removeFirst()
                state.isWriting = false
            }
        }
    }

    /// The next queued change. Nil if there is none, or if another thread carries it out.
    private func next() -> CookieStore.Change? {
        state.withLock { state in
            guard !state.isWriting, let write = state.writes.first else { return nil }
            state.isWriting = true
            return write
        }
    }
}

extension CookieStore {
    /// Takes over changes of the system's storage. A change of a cookie that may identify a user moves the epoch, since its author is unknown.
    func adopt(_ system: SystemCookies, in state: inout State, now: Date) {
        guard let (cookies, pending) = system.readChanges() else { return }
        let keys = Set(cookies.map(\.key)).union(pending)
        var touched = state.jar.forget { !keys.contains($0.key) }
        for cookie in cookies where !pending.contains(cookie.key) {
            guard let checked = checked(cookie, now: now) else { continue }
            let site = self.site(of: checked.domain, in: &state)
            let old = state.jar.cookie(of: cookie.key, in: site)
            // Foundation rounds dates and drops some attributes: an unchanged cookie stays as it was.
            if let old, old.isEqualInStorage(to: checked) { continue }
            if old?.value != checked.value, checked.isSessionLike || old?.isSessionLike == true { touched.insert(site) }
            state.jar.put(checked, site: site, from: .file, at: now)
        }
        for site in touched.sorted() { state.jar.epochs.move(site) }
        send(state.jar.takeChanges())
    }
}

extension Cookie {
    fileprivate func isEqualInStorage(to other: Cookie) -> Bool {
        let seconds = (expires ?? .distantPast).timeIntervalSince(other.expires ?? .distantPast)
        return value == other.value && isSecure == other.isSecure && isHTTPOnly == other.isHTTPOnly && abs(seconds) < 2
    }
}

extension String {
    /// The last two labels, which count as the site if there is no list of public suffixes.
    var lastTwoLabels: String {
        guard let last = utf8.lastIndex(of: UInt8(ascii: ".")), let dot = utf8[..<last].lastIndex(of: UInt8(ascii: "."))
        else { return self }
        return String(self[utf8.index(after: dot)...])
    }
}

extension CookieStore {
    /// A store that stays in step with an `HTTPCookieStorage`. The file keeps the epochs, without cookies; nil keeps them in memory.
    package convenience init(system storage: HTTPCookieStorage, epochFile: URL?, clock: any NetworkClock = .system) {
        self.init(file: epochFile, publicSuffixFile: nil, clock: clock, system: SystemCookies(storage))
    }

    #if canImport(Darwin)
        /// In a folder that is cleared together with the caches that depend on it.
        static var epochFile: URL? {
            FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
                .appendingPathComponent(CurrentProcess.identifier, isDirectory: true)
                .appendingPathComponent("networking-cookie-epochs", isDirectory: false)
        }
    #endif
}
