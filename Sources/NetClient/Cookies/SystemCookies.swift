import NetCore

/// A `HTTPCookieStorage` that a store keeps in step with: what either changes, the other takes over.
final class SystemCookies: Sendable {
    /// A cookie to set in the storage or to remove from it.
    private struct Write: Sendable {
        let cookie: Cookie
        let isRemoval: Bool
    }

    private struct State {
        /// Whether the storage changed by another hand since it was last read.
        var isStale = true
        var writes: [Write] = []
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

    deinit {
        if let observer = state.withLock({ $0.observer }) { NotificationCenter.default.removeObserver(observer) }
    }

    /// Whether the app lets servers set cookies.
    var acceptsCookies: Bool { storage.cookieAcceptPolicy != .never }

    /// Whether Foundation takes a cookie for that domain from that URL: it knows the public suffixes, and has no other way to ask.
    func accepts(domain: String, from url: URL) -> Bool {
        !HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "a=b; Domain=\(domain)"], for: url).isEmpty
    }

    /// The cookies of the storage, and the keys for which this store has newer ones; nil if nothing changed.
    func news() -> (cookies: [Cookie], pending: Set<Cookie.Key>)? {
        let pending = state.withLock { state -> Set<Cookie.Key>? in
            guard state.isStale else { return nil }
            state.isStale = false
            return Set(state.writes.map(\.cookie.key))
        }
        guard let pending else { return nil }
        return ((storage.cookies ?? []).map(Cookie.init), pending)
    }

    /// Notes changes of the store. ``write()`` carries them out.
    func add(_ changes: [CookieChange]) {
        let writes = changes.map { Write(cookie: $0.cookie, isRemoval: $0.kind != .set) }
        state.withLock { $0.writes += writes }
    }

    /// Carries changes out, in order. Call it without a lock: the storage tells observers, who may ask the store.
    func write() {
        while let write = next() {
            if let cookie = write.cookie.httpCookie {
                if write.isRemoval { storage.deleteCookie(cookie) } else { storage.setCookie(cookie) }
            }
            state.withLock { state in
                state.writes.removeFirst()
                state.isWriting = false
            }
        }
    }

    /// Nil if there is none, or if another thread carries it out.
    private func next() -> Write? {
        state.withLock { state in
            guard !state.isWriting, let write = state.writes.first else { return nil }
            state.isWriting = true
            return write
        }
    }
}

extension CookieStore {
    /// Takes over what changed in the system's storage. A change of a cookie that may identify a user moves the epoch, since nothing
    /// tells who made it.
    func adopt(_ system: SystemCookies, in state: inout State, now: Date) {
        guard let (cookies, pending) = system.news() else { return }
        let keys = Set(cookies.map(\.key)).union(pending)
        var touched = state.jar.forget { !keys.contains($0.key) }
        for cookie in cookies where !pending.contains(cookie.key) {
            guard let checked = checked(cookie, now: now) else { continue }
            let site = self.site(of: checked.domain, in: &state)
            let old = state.jar.sites[site]?.cookie(of: cookie.key)
            // Foundation rounds dates and forgets some attributes: what did not change stays as it was.
            if let old, old.isEqualInStorage(to: checked) { continue }
            if old?.value != checked.value, checked.isHTTPOnly || old?.isHTTPOnly == true { touched.insert(site) }
            state.jar.put(checked, site: site, from: .file, at: now)
        }
        for site in touched.sorted() { state.jar.epochs.move(site) }
        for change in state.jar.takeChanges() { state.send(change) }
    }
}

extension Cookie {
    fileprivate func isEqualInStorage(to other: Cookie) -> Bool {
        let seconds = (expires ?? .distantPast).timeIntervalSince(other.expires ?? .distantPast)
        return value == other.value && isSecure == other.isSecure && isHTTPOnly == other.isHTTPOnly && abs(seconds) < 2
    }
}

extension String {
    /// The last two labels, which stand for the site where there is no list of public suffixes.
    var lastTwoLabels: String {
        guard let last = utf8.lastIndex(of: UInt8(ascii: ".")),
            let dot = utf8[..<last].lastIndex(of: UInt8(ascii: "."))
        else { return self }
        return String(self[utf8.index(after: dot)...])
    }
}
