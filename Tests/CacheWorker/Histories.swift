import NetCache

/// Plays random histories of requests through a cache, and writes what happened when: a line for each operation and each exchange
/// with the server.
///
///     op NAME HISTORY KIND RESOURCE START END STATUS VERSION CACHE-STATUS
///     exchange NAME-OF-ITS-OP RESOURCE START END VERSION STORABLE
final class Histories: Sendable {
    /// Resources of one history.
    static let resources = 3
    private static let (tasks, operations) = (3, 12)

    private let who: Int
    private let seed: UInt64
    private let state: SharedState
    private let roomy, tight: Origin
    private let small: DiskCache

    /// - Parameter store: `disk`, which the processes share; `memory` or `tiered`, for one process alone.
    init(_ folder: URL, who: Int, seed: UInt64, store: String, processes: Int) throws {
        (self.who, self.seed) = (who, seed)
        state = try SharedState(folder.appendingPathComponent("state"), who: who, processes: processes)
        let large = DiskCache(directory: folder.appendingPathComponent("roomy"))
        small = DiskCache(directory: folder.appendingPathComponent("tight"), maxEntries: 2)
        func cache(_ disk: DiskCache, maxEntries: Int) -> ResponseCache {
            let memory = NetworkCache(maxEntries: maxEntries, purgeInterval: 0)
            switch store {
            case "memory": return ResponseCache(store: memory)
            case "tiered": return ResponseCache(store: TieredCache(upper: memory, lower: disk))
            default: return ResponseCache(store: disk)
            }
        }
        roomy = Origin(cache: cache(large, maxEntries: 10_000), state: state)
        tight = Origin(cache: cache(small, maxEntries: 1), state: state)
    }

    func run(count: Int) async throws {
        for history in 0..<count {
            state.meet()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<Self.tasks { group.addTask { [self] in try await play(history, task: task) } }
                try await group.waitForAll()
            }
            state.meet()
            // What is left when all is quiet.
            for resource in 0..<Self.resources {
                try await send(.peek, history * Self.resources + resource, "\(history)-\(who)-last-\(resource)")
            }
        }
    }

    /// Whether entries are evicted in a history.
    static func evicts(_ history: Int) -> Bool { history % 4 == 3 }

    private func play(_ history: Int, task: Int) async throws {
        var random = WorkerRandom(state: seed &+ UInt64(history) &* 1000 &+ UInt64(who * 100 + task))
        // In half of them all ask for the same, so that more of it overlaps.
        let resources = history % 2 == 0 ? 1 : Self.resources
        for number in 0..<Self.operations {
            let name = "\(history)-\(who)-\(task)-\(number)"
            let resource = history * Self.resources + Int.random(in: 0..<resources, using: &random)
            let manner = Origin.Manner(
                isStorable: Int.random(in: 0..<8, using: &random) > 0,
                padding: Int.random(in: 0..<4, using: &random) == 0 ? 70_000 : 10,
                delays: (Self.delay(&random), Self.delay(&random)))
            switch Int.random(in: 0..<100, using: &random) {
            case ..<25: try await send(.get, resource, name, manner)
            case ..<55: try await send(.validate, resource, name, manner)
            case ..<62: try await send(.reload, resource, name, manner)
            case ..<77: try await send(.put, resource, name, manner)
            case ..<90: try await send(.peek, resource, name)
            case ..<95 where Self.evicts(history): await small.trim()
            // The resource changes, and nobody is told.
            default: _ = state.change(resource)
            }
        }
    }

    private func send(
        _ kind: Origin.Kind, _ resource: Int, _ name: String, _ manner: Origin.Manner = Origin.Manner()
    ) async throws {
        var manner = manner
        manner.log = { start, end, version, isStorable in
            // At once: the process may be killed.
            CacheWorker.say("exchange \(name) \(resource) \(start) \(end) \(version) \(isStorable ? 1 : 0)")
        }
        let (history, start) = (resource / Self.resources, SharedState.now)
        let reply = try await (Self.evicts(history) ? tight : roomy).send(kind, resource, manner)
        let end = SharedState.now
        let status = reply.cacheStatus.replacingOccurrences(of: " ", with: "")
        CacheWorker.say(
            "op \(name) \(history) \(kind.rawValue) \(resource) \(start) \(end) \(reply.status) "
                + "\(reply.version) \(status)")
    }

    private static func delay(_ random: inout WorkerRandom) -> UInt64 {
        [0, 0, 50, 200, 600].randomElement(using: &random) ?? 0
    }
}

/// Gives the same numbers again.
struct WorkerRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
