extension CookieStore {
    /// The state of a store with a file, beside its cookies.
    struct FileState {
        let file: CookieFile
        var isLoaded = false
        /// The cookies that changed since the file was last read or written.
        var changed: Set<Cookie.Key> = []
        /// Whether this store's cookies replace those of the file, since more changed than ``changed`` lists.
        var isReplaced = false
        var needsWrite = false
        var isScheduled = false
        /// The epochs of the file.
        var epochs = CookieEpochs()

        /// The most cookies in ``changed``.
        static let changeLimit = 10_000

        mutating func note(_ changes: [CookieStore.Change]) {
            needsWrite = true
            guard changed.count + changes.count <= Self.changeLimit else {
                changed = []
                isReplaced = true
                return
            }
            changed.formUnion(changes.lazy.map(\.cookie.key))
        }
    }

    /// Reads the file at the first use.
    func load(_ state: inout State, now: Date) {
        guard let file = state.file?.file, state.file?.isLoaded == false else { return }
        state.file?.isLoaded = true
        var record = CookieRecord()
        do throws(SystemError) {
            if let data = try file.read() { record = CookieRecord(data) }
        } catch {
            problems.report(.reading, "The cookie file cannot be read: \(error).")
        }
        if record.isDamaged {
            problems.report(.reading, "Parts of the cookie file \(file.path) cannot be read, and are left out.")
        }
        // A damaged file may have lost epochs. It gives the store a new name, under which no stored response is found.
        if let name = record.name, !record.isDamaged {
            state.name = name
            state.jar.epochs = record.epochs
        }
        state.file?.needsWrite = record.name == nil || record.isDamaged
        for cookie in record.items { put(cookie, in: &state, now: now) }
        state.file?.epochs = record.epochs
        // Session cookies are gone, and others have expired. An identified site without an epoch was another site when the file was
        // written, by another list of public suffixes.
        var moved = record.sessionSites.union(state.jar.identifiedSites.filter { record.epochs.sites[$0] == nil })
        for cookie in record.items where cookie.isSessionLike && cookie.isExpired(at: now) {
            moved.insert(site(of: cookie.domain, in: &state))
        }
        for site in moved.sorted() { state.jar.epochs.move(site) }
        _ = state.jar.takeChanges()
        state.savedRevision = state.jar.epochs.revision
    }

    /// Stores a cookie of the file, if a server could have set it.
    private func put(_ stored: Cookie, in state: inout State, now: Date) {
        var cookie = stored
        if !cookie.isHostOnly, suffixes.list == nil { cookie.isHostOnly = true }
        guard var checked = checked(cookie, now: now) else { return }
        if stored.creation != .distantPast { checked.creation = min(stored.creation, now) }
        if stored.lastAccess != .distantPast { checked.lastAccess = min(stored.lastAccess, now) }
        let site = self.site(of: checked.domain, in: &state)
        state.jar.put(checked, site: site, from: .file, at: now)
    }

    /// Writes changes to the file now. Does nothing for a store in memory.
    ///
    /// The store writes by itself one second after a change, and when it is released. Call this before the app ends.
    ///
    /// - Returns: Whether the file holds all cookies that have an expiration date.
    @discardableResult
    public func save() -> Bool {
        guard
            let file = state.withLock({ state in
                state.file.flatMap { $0.isLoaded && $0.needsWrite ? $0.file : nil }
            })
        else { return true }
        do throws(SystemError) {
            try file.withLock { () throws(SystemError) in
                let data = try? file.read()
                let (record, before) = merge(with: data.map(CookieRecord.init))
                do throws(SystemError) {
                    try file.write(record.data)
                } catch {
                    state.withLock { state in
                        state.file?.needsWrite = true
                        state.file?.changed.formUnion(before.changed)
                        if before.isReplaced { state.file?.isReplaced = true }
                    }
                    throw error
                }
            }
            return true
        } catch {
            problems.report(.writing, "The cookie file cannot be written: \(error).")
            return false
        }
    }

    /// Merges changes of other processes, and returns the content to write.
    private func merge(with other: CookieRecord?) -> (CookieRecord, before: FileState) {
        access { state, now in
            guard let before = state.file else { return (CookieRecord(), FileState(file: CookieFile(path: ""))) }
            if system == nil, let other, other.name != nil, !other.isDamaged, !before.isReplaced {
                merge(other, into: &state, before: before, now: now)
            }
            state.jar.removeExpired(at: now)
            send(state.jar.takeChanges())
            var record = state.jar.record(name: state.name)
            // The system stores the cookies.
            if system != nil { record.items = [] }
            state.file?.changed = []
            state.file?.isReplaced = false
            state.file?.needsWrite = false
            state.file?.epochs = record.epochs
            state.savedRevision = state.jar.epochs.revision
            return (record, before)
        }
    }

    private func merge(_ other: CookieRecord, into state: inout State, before: FileState, now: Date) {
        let known = state.jar.record(name: nil)
        let theirs = Set(other.items.map(\.key))
        let gone = Set(known.items.map(\.key)).subtracting(theirs).subtracting(before.changed)
        var touched = state.jar.forget { gone.contains($0.key) }
        for cookie in other.items where !before.changed.contains(cookie.key) {
            let site = self.site(of: cookie.domain, in: &state)
            let isChanged = state.jar.sites[site]?.cookie(of: cookie.key)?.value != cookie.value
            put(cookie, in: &state, now: now)
            if isChanged, cookie.isSessionLike { touched.insert(site) }
        }
        if let name = other.name { state.name = name }
        state.jar.epochs.merge(
            other.epochs, since: before.epochs, sessions: known.sessionSites.union(other.sessionSites), touched: touched
        )
    }

    /// Schedules a write of the file.
    func schedule(_ state: inout State) {
        guard state.file?.needsWrite == true, state.file?.isScheduled == false else { return }
        state.file?.isScheduled = true
        Task.detached { [weak self, clock] in
            try? await clock.sleep(for: 1)
            Self.queue.start { [weak self] in
                guard let self else { return }
                self.state.withLock { $0.file?.isScheduled = false }
                self.save()
            }
        }
    }

    private static let queue = IOQueue(label: "networking.cookies")
}

/// The file of a store: replaced as a whole, readable by its owner only, and changed by one process at a time.
struct CookieFile: Sendable {
    let path: String

    /// In bytes. A full store takes about 13 MB.
    private static let sizeLimit = 32 << 20
    /// How long another process may hold the lock, in seconds.
    private static let lockTimeout: TimeInterval = 3

    /// Nil if the file does not exist.
    func read() throws(SystemError) -> Data? {
        let file: DiskFile
        do {
            file = try DiskFile(path, O_RDONLY | O_NONBLOCK)
        } catch  where error.code == ENOENT {
            return nil
        }
        return try file.read(Self.sizeLimit, at: 0)
    }

    /// Replaces the file. Call it under the lock.
    func write(_ data: Data) throws(SystemError) {
        try AtomicFile.write(data, to: path)
    }

    /// Calls a closure while no other process, and no other store of this one, does so for the same file.
    func withLock(_ body: () throws(SystemError) -> Void) throws(SystemError) {
        try Directory.make(folder)
        let lock = try DiskFile(path + ".lock", O_RDWR | O_CREAT)
        try lock.lock(within: Self.lockTimeout)
        defer { lock.unlock() }
        try body()
    }

    private var folder: String { Directory.folder(of: path) }
}

/// Problems that fail no request. Each kind is reported once.
final class CookieProblems: Sendable {
    enum Kind: Hashable {
        case suffixes, reading, writing
    }

    private struct State {
        var handler: (@Sendable (String) -> Void)?
        var seen: Set<Kind> = []
        var waiting: [String] = []
    }

    private let state = Locked(State())
    private let queue = IOQueue(label: "networking.cookies.problems")

    /// Called on a private queue. Setting it reports earlier problems.
    var handler: (@Sendable (String) -> Void)? {
        get { state.withLock(\.handler) }
        set {
            let waiting = state.withLock { state in
                state.handler = newValue
                guard newValue != nil else { return [String]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            guard let newValue else { return }
            for text in waiting { queue.start { newValue(text) } }
        }
    }

    func report(_ kind: Kind, _ text: String) {
        let handler = state.withLock { state -> (@Sendable (String) -> Void)? in
            guard state.seen.insert(kind).inserted else { return nil }
            if state.handler == nil { state.waiting.append(text) }
            return state.handler
        }
        if let handler { queue.start { handler(text) } }
    }
}
