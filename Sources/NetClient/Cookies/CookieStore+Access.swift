import NetCore

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
            for change in changes { state.send(change) }
            return result
        }
    }

    /// Reads what has to be read before the jar is asked.
    func prepare(_ state: inout State, now: Date) {
        load(&state, now: now)
        if let system { adopt(system, in: &state, now: now) }
    }

    /// The site of a host: its registrable domain. An address, a public suffix, and any host if there is no list are sites of
    /// their own.
    func site(of host: String, in state: inout State) -> String {
        if let site = state.siteOfHost[host] { return site }
        if state.siteOfHost.count >= 1024 { state.siteOfHost = [:] }
        let site: String
        if host.isAddressLike {
            site = host
        } else if let list = suffixes.list {
            site = list.registrableDomain(of: host) ?? host
        } else {
            // The system's storage has cookies for domains without telling where they end.
            site = system == nil ? host : host.lastTwoLabels
        }
        state.siteOfHost[host] = site
        return site
    }

    /// The cookie of an app as a server could have set it; nil if none could.
    func checked(_ cookie: Cookie, now: Date) -> Cookie? {
        var cookie = cookie
        guard cookie.isWellFormed, cookie.keepsPrefix, cookie.sameSite != .none || cookie.isSecure else { return nil }
        if !cookie.isHostOnly, system == nil {
            if cookie.domain.isAddressLike { return nil }
            guard let list = suffixes.list else {
                report(missing: suffixes)
                return nil
            }
            if list.contains(cookie.domain) { return nil }
        }
        cookie.expires = cookie.expires.map { min($0, now.addingTimeInterval(SetCookieField.maximumAge)) }
        cookie.creation = now
        cookie.lastAccess = now
        return cookie
    }

    func report(missing suffixes: CookieSuffixes) {
        problems.report(
            .suffixes,
            """
            No list of public suffixes: cookies go back only to the host that set them. \
            \(suffixes.problem ?? "Install libpsl or the publicsuffix package, or give the store a file.")
            """)
    }
}

extension CookieStore.State {
    /// Tells the consumers under the lock, so that all see one order. A stream only keeps the change and wakes its task.
    func send(_ change: CookieChange) {
        for stream in streams.values { stream.yield(change) }
    }

    /// Notes that the epochs are those of the file.
    mutating func loadedRevision() {
        savedRevision = jar.epochs.revision
    }
}

extension Cookie {
    /// Whether name, value, domain and path can stand in a field, and are not too long.
    var isWellFormed: Bool {
        name.utf8.count + value.utf8.count <= SetCookieField.maximumSize && !name.isEmpty
            && name.utf8.allSatisfy { !$0.isForbiddenInCookie && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
            && value.utf8.allSatisfy { !$0.isForbiddenInCookie && $0 != UInt8(ascii: ";") }
            && name.utf8.count == name.trimmingHTTPWhitespace.utf8.count
            && value.utf8.count == value.trimmingHTTPWhitespace.utf8.count
            && (1...SetCookieField.maximumAttributeSize).contains(domain.utf8.count)
            && domain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 == $0.asciiLowercased }
            && path.utf8.first == UInt8(ascii: "/") && path.utf8.count <= SetCookieField.maximumAttributeSize
            && path.utf8.allSatisfy { !$0.isForbiddenInCookie && $0 != UInt8(ascii: ";") }
    }
}

/// The list of public suffixes of a store, read when it is first needed.
final class CookieSuffixes: Sendable {
    private let file: URL?
    private let loaded = Locked<(list: PublicSuffixes?, problem: String?)?>(nil)

    init(file: URL?) {
        self.file = file
    }

    var list: PublicSuffixes? { load().list }
    /// Why there is none, if a file was named.
    var problem: String? { load().problem }

    private func load() -> (list: PublicSuffixes?, problem: String?) {
        loaded.withLock { loaded in
            if let loaded { return loaded }
            let result: (PublicSuffixes?, String?)
            if let file {
                do {
                    result = (try PublicSuffixes(contentsOf: file), nil)
                } catch {
                    result = (nil, "The file \(file.path) cannot be read.")
                }
            } else {
                result = (PublicSuffixes.system, nil)
            }
            loaded = result
            return result
        }
    }
}
