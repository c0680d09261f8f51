@testable import NetCache

/// The model of the histories of `cache-worker`: the versions of a resource only grow, so what ended before says what may be read.
struct HistoryCheck {
    struct Operation {
        let name: String
        let history: Int
        let kind: String
        let resource: Int
        let start, end: UInt64
        let status: Int
        let version: UInt64
        let cacheStatus: String
        let exchanges: [Exchange]
        var isRead: Bool { kind != "put" && status == 200 }
    }

    struct Exchange {
        let start, end, version: UInt64
        let isStorable: Bool
    }

    private(set) var operations: [Int: [Operation]] = [:]
    var isCutOff = false

    init(_ logs: String...) {
        let lines: [[String]] = logs.joined(separator: "").split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        var exchanges: [String: [Exchange]] = [:]
        for words in lines where words.count == 7 && words[0] == "exchange" {
            let numbers = words.map { UInt64($0) ?? 0 }
            exchanges[words[1], default: []].append(
                Exchange(start: numbers[3], end: numbers[4], version: numbers[5], isStorable: numbers[6] == 1))
        }
        for words in lines where words.count == 10 && words[0] == "op" {
            let numbers = words.map { UInt64($0) ?? 0 }
            let operation = Operation(
                name: words[1], history: Int(numbers[2]), kind: words[3], resource: Int(numbers[4]), start: numbers[5],
                end: numbers[6], status: Int(numbers[7]), version: numbers[8], cacheStatus: words[9],
                exchanges: exchanges[words[1]] ?? [])
            operations[operation.resource, default: []].append(operation)
        }
    }

    func count(_ isCounted: (Operation) -> Bool) -> Int {
        operations.values.reduce(0) { $0 + $1.lazy.filter(isCounted).count }
    }

    /// What no order of the operations explains.
    var violations: [String] { operations.keys.sorted().flatMap { comebacks($0) + replaced($0) } }

    /// What was stored and is gone, though nothing took it out. A store may lose an entry at any time; it must not do so often.
    var losses: [String] { operations.keys.sorted().flatMap { lost($0) } }

    /// All that happened to the resource of the first violation, in order; times in microseconds.
    var story: String {
        guard
            let resource = operations.keys.sorted().first(where: { !(comebacks($0) + replaced($0) + lost($0)).isEmpty })
        else { return "" }
        let all = (operations[resource] ?? []).sorted { $0.start < $1.start }
        let first = all.first?.start ?? 0
        func time(_ time: UInt64) -> String { "\((Int64(time) - Int64(first)) / 1000)" }
        return all.map { operation in
            let exchanges = operation.exchanges.map {
                " [\(time($0.start))-\(time($0.end)) v\($0.version)\($0.isStorable ? "" : " no-store")]"
            }
            return
                "\(operation.name) \(time(operation.start))-\(time(operation.end)) \(operation.kind) \(operation.status) "
                + "v\(operation.version) \(operation.cacheStatus)" + exchanges.joined()
        }.joined(separator: "\n")
    }

    /// A read that began after an unsafe request had returned sees at least its version.
    private func comebacks(_ resource: Int) -> [String] {
        let all = operations[resource] ?? []
        let puts = all.filter { $0.kind == "put" }
        return all.filter(\.isRead).compactMap { read in
            puts.first { $0.end <= read.start && read.version < $0.version }
                .map { "came back: \(describe(read)) after \(describe($0))" }
        }
    }

    /// A read sees no older version than an earlier read, unless both were fetched at the same time: the cache cannot know which is newer.
    private func replaced(_ resource: Int) -> [String] {
        let all = operations[resource] ?? []
        return all.filter(\.isRead).compactMap { read in
            let last = all.lazy.filter { $0.exchanges.contains { $0.version == read.version } }.map(\.end).max()
            guard let last = last ?? (isCutOff ? nil : 0) else { return nil }
            let newer = all.first { other in
                other.isRead && other.end <= read.start && other.version > read.version && other.start > last
                    && other.exchanges.contains { $0.version == other.version }
            }
            return newer.map { "served again: \(describe(read)) after \(describe($0))" }
        }
    }

    /// What was fetched, and not invalidated since, is stored.
    private func lost(_ resource: Int) -> [String] {
        let all = operations[resource] ?? []
        // With evictions, what is stored may go at any time.
        guard all.first.map({ $0.history % 4 != 3 }) ?? false else { return [] }
        let near: [Operation] = neighbours(of: resource).flatMap { operations[$0] ?? [] }
        let disturbances = near.filter { $0.kind == "put" || $0.exchanges.contains { !$0.isStorable } }
        return all.filter { $0.kind == "peek" && $0.status == 504 }.compactMap { peek in
            let stored = all.first { other in
                other.isRead && other.end <= peek.start && !other.cacheStatus.contains("detail=store")
                    && !disturbances.contains { $0.start <= peek.end && $0.end >= other.start }
            }
            return stored.map { "lost: \(describe(peek)) after \(describe($0))" }
        }
    }

    /// The resources whose generation changes with this one's.
    private func neighbours(of resource: Int) -> [Int] {
        let shard = Self.shard(resource)
        let first = resource / 3 * 3
        return (first..<first + 3).filter { Self.shard($0) == shard }
    }

    private static func shard(_ resource: Int) -> String { DiskName(url: "https://example.com/\(resource)").shard }

    private func describe(_ operation: Operation) -> String {
        "\(operation.kind) of \(operation.resource): version \(operation.version) (\(operation.cacheStatus)), history \(operation.history)"
    }
}
