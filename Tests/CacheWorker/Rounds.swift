import NetCache

/// Does one thing in two processes at the same moment, many times, and counts what must not happen.
struct Rounds {
    private let who, count: Int
    private let state: SharedState
    private let origin: Origin

    init(_ folder: URL, who: Int, count: Int) throws {
        (self.who, self.count) = (who, count)
        state = try SharedState(folder.appendingPathComponent("state"), who: who)
        let cache = DiskCache(directory: folder.appendingPathComponent("cache"), maxEntries: 1_000_000)
        origin = Origin(cache: ResponseCache(store: cache), state: state)
    }

    /// Each process asks twice for a new URL. One response has to be stored.
    func firstGETs() async throws {
        var empty = 0
        for round in 0..<count {
            state.meet()
            async let one = origin.send(.get, round)
            async let other = origin.send(.get, round)
            _ = try await (one, other)
            state.meet()
            if try await origin.send(.peek, round).status != 200 { empty += 1 }
        }
        CacheWorker.say("left nothing: \(empty) of \(count)")
    }

    /// Process 0 changes a resource while both validate what is stored of it.
    func comebacks() async throws {
        var random = WorkerRandom(state: UInt64(who))
        var comebacks = 0
        for round in 0..<count {
            if who == 0 { try await origin.send(.get, round) }
            state.meet()
            let manner = Origin.Manner(delays: (0, UInt64.random(in: 0...300, using: &random)))
            let changing = Origin.Manner(delays: (UInt64.random(in: 0...200, using: &random), 0))
            async let validated = origin.send(.validate, round, manner)
            if who == 0 { try await origin.send(.put, round, changing) }
            _ = try await validated
            state.meet()
            let reply = try await origin.send(.peek, round)
            if reply.status == 200, reply.version < state.version(of: round) { comebacks += 1 }
        }
        CacheWorker.say("came back: \(comebacks) of \(count)")
    }
}

/// What a cache does about an invalidation when its folder cannot be changed.
///
/// Root may change any folder, so it becomes another user first.
enum ReadOnlyFolder {
    private static let nobody: uid_t = 65534

    static func run(in folder: URL) async throws {
        let place = folder.appendingPathComponent("cache", isDirectory: true)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        if geteuid() == 0 {
            for path in [folder.path, place.path] { chown(path, nobody, nobody) }
            _ = setgid(nobody)
            _ = setuid(nobody)
        }
        let state = try SharedState(place.appendingPathComponent("state"), who: 0)
        let store = DiskCache(directory: place)
        let origin = Origin(cache: ResponseCache(store: store), state: state)
        guard let url = URL(string: "https://example.com/data") else { return }
        store.setResponse(Data("old".utf8), for: url, expireTime: nil)
        try await origin.send(.get, 0)
        try await origin.send(.get, 1)
        CacheWorker.say("before: \(try await origin.send(.get, 0).cacheStatus.prefix(15))")
        setWritable(false, place)
        CacheWorker.say("put: \(try await origin.send(.put, 0).cacheStatus)")
        CacheWorker.say("after: \(try await origin.send(.peek, 0).status)")
        let answer = try await origin.send(.get, 0)
        CacheWorker.say("version: \(answer.version), \(answer.cacheStatus)")
        // Another cache of this process on the same folder.
        let second = DiskCache(directory: place)
        let other = Origin(cache: ResponseCache(store: second), state: state)
        CacheWorker.say("second cache: \(try await other.send(.peek, 0).status)")
        CacheWorker.say("other URL: \(try await origin.send(.peek, 1).status)")
        store.removeResponse(for: url)
        CacheWorker.say("data: \(second.getResponse(for: url) == nil ? "not found" : "found")")
        CacheWorker.say((try? await store.removeAll()) == nil ? "not removed" : "removed all")
        CacheWorker.say("other URL: \(try await other.send(.peek, 1).status)")
        setWritable(true, place)
        try await origin.send(.put, 0)
        try await origin.send(.get, 0)
        CacheWorker.say("writable again: \(try await origin.send(.peek, 0).status)")
    }

    private static func setWritable(_ isWritable: Bool, _ place: URL) {
        let root = place.appendingPathComponent("v1", isDirectory: true)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        for path in [root.path] + names.map({ "\(root.path)/\($0)" }) {
            var status = stat()
            if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { chmod(path, isWritable ? 0o700 : 0o500) }
        }
    }
}
