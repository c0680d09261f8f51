extension CookieStore {
    /// The state of a store with a file, beside its cookies.
    struct FileState {
        let path: String
        var isLoaded = false
        /// The cookies that changed since the file was last read or written.
        var changed: Set<Cookie.Key> = []
        /// Whether this store's cookies replace those of the file, since more changed than ``changed`` lists.
        var isReplaced = false
        var needsWrite = false
        var isScheduled = false
        var epochs = CookieEpochs()

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

    /// Reads the file.
    func load(_ state: inout State, now: Date) {
        guard let path = state.file?.path else { return }
        state.file?.isLoaded = true
        var record = CookieRecord()
        do throws(SystemError) {
            record = CookieRecord(try Self.read(path))
        } catch {
            if error.code != ENOENT { report(.reading, "The cookie file cannot be read: \(error).") }
        }
        if record.isDamaged { report(.reading, "Parts of the cookie file \(path) cannot be read, and are left out.") }
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
        if !cookie.isHostOnly, suffixes == nil { cookie.isHostOnly = true }
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
        guard let file = state.withLock(\.file), file.isLoaded, file.needsWrite else { return true }
        do throws(SystemError) {
            try Directory.make(Directory.folder(of: file.path))
            // One writer at a time, of all processes and all stores of this one.
            let lock = try DiskFile(file.path + ".lock", O_RDWR | O_CREAT)
            try lock.lock(within: Self.lockTimeout)
            defer { lock.unlock() }
            let other = (try? Self.read(file.path)).map(CookieRecord.init)
            var before = file
            let record = access { state, now in
                before = state.file ?? file
                return takeRecord(of: &state, mergedWith: other, now: now)
            }
            do throws(SystemError) {
                try AtomicFile.write(record.data, to: file.path)
            } catch {
                state.withLock { state in
                    state.file?.needsWrite = true
                    state.file?.changed.formUnion(before.changed)
                    if before.isReplaced { state.file?.isReplaced = true }
                }
                throw error
            }
            return true
        } catch {
            report(.writing, "The cookie file cannot be written: \(error).")
            return false
        }
    }

    /// In bytes. A full store takes about 13 MB.
    private static let sizeLimit = 32 << 20
    /// How long another process may hold the lock, in seconds.
    private static let lockTimeout: TimeInterval = 3

    private static func read(_ path: String) throws(SystemError) -> Data {
        try DiskFile(path, O_RDONLY | O_NONBLOCK).read(sizeLimit, at: 0)
    }

    /// Merges changes of other processes, and returns the content to write.
    private func takeRecord(of state: inout State, mergedWith other: CookieRecord?, now: Date) -> CookieRecord {
        if system == nil, let other, other.name != nil, !other.isDamaged, state.file?.isReplaced == false {
            merge(other, into: &state, now: now)
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
        return record
    }

    private func merge(_ other: CookieRecord, into state: inout State, now: Date) {
        let known = state.jar.record(name: nil)
        let changed = state.file?.changed ?? []
        let gone = Set(known.items.map(\.key)).subtracting(other.items.map(\.key)).subtracting(changed)
        var touched = state.jar.forget { gone.contains($0.key) }
        for cookie in other.items where !changed.contains(cookie.key) {
            let site = self.site(of: cookie.domain, in: &state)
            let isChanged = state.jar.cookie(of: cookie.key, in: site)?.value != cookie.value
            put(cookie, in: &state, now: now)
            if isChanged, cookie.isSessionLike { touched.insert(site) }
        }
        if let name = other.name { state.name = name }
        state.jar.epochs.merge(
            other.epochs, since: state.file?.epochs ?? CookieEpochs(),
            sessions: known.sessionSites.union(other.sessionSites), touched: touched)
    }

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
}
