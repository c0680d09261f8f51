import TestLab
import Testing

@testable import NetCache

/// Processes with three tasks each on one folder. `CACHE_SEED`, `CACHE_HISTORIES` and `CACHE_ROUNDS` repeat or lengthen a run.
@Suite("Disk cache: several processes", .serialized, .startsProcesses) struct LinearisabilityTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
    private let seed = Self.number("CACHE_SEED") ?? Int.random(in: 0..<1_000_000_000)
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func run(_ command: String, _ arguments: [String]) async throws -> String {
        let result = try await ProcessRunner.run(
            Executable.beside("cache-worker"), [command, directory.url.path] + arguments, timeLimit: 900)
        let text = String(decoding: result.output, as: UTF8.self)
        #expect(result.termination == .exited(0), "\(text.suffix(500))")
        return text
    }

    private func runBoth(_ command: String, _ arguments: [String]) async throws -> [String] {
        async let one = run(command, ["0"] + arguments)
        async let other = run(command, ["1"] + arguments)
        return try await [one, other]
    }

    private func expectOrder(_ check: HistoryCheck, seed: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let violations = check.violations
        #expect(
            violations.isEmpty,
            "seed \(seed): \(violations.count) violations\n\(violations.prefix(8).joined(separator: "\n"))\n\(check.story)",
            sourceLocation: sourceLocation)
    }

    @Test func randomHistoriesAreLinearizable() async throws {
        let count = Self.number("CACHE_HISTORIES") ?? Volume.pick(quick: 20, full: 200)
        let logs = try await runBoth("histories", ["\(seed)", "\(count)", "disk", "2"])
        let check = HistoryCheck(logs[0], logs[1])
        expectOrder(check, seed: seed)
        // About one in 2,000 histories loses a response that two processes replaced at the same time: it is fetched again.
        let losses = check.losses
        #expect(losses.count <= max(1, count / 100), "seed \(seed): \(losses.joined(separator: "\n"))\n\(check.story)")
        #expect(check.count { _ in true } > count * 20 && check.count { $0.cacheStatus.contains("hit") } > count)
    }

    @Test("In one process, stores in memory and in two tiers have an order too", arguments: ["memory", "tiered"])
    func randomHistoriesOfOneProcess(store: String) async throws {
        let count = Self.number("CACHE_HISTORIES") ?? Volume.pick(quick: 40, full: 400)
        let check = HistoryCheck(try await run("histories", ["0", "\(seed)", "\(count)", store, "1"]))
        expectOrder(check, seed: seed)
        #expect(check.count { $0.cacheStatus.contains("hit") } > count)
    }

    @Test func historiesWithAKilledProcessAreLinearizable() async throws {
        let kills = Self.number("CACHE_KILLS") ?? Volume.pick(quick: 3, full: 20)
        let program = try Executable.beside("cache-worker")
        var (hits, interrupted) = (0, 0)
        // A worker may have ended before it is killed. Then there is another round.
        var kill = 0
        while kill < kills || interrupted <= kills / 2 && kill < 5 * kills {
            defer { kill += 1 }
            let directory = try TemporaryDirectory()
            let workers = try (0..<3).map { who in
                try BackgroundProcess(
                    program, ["histories", directory.url.path, "\(who)", "\(seed + kill)", "20", "disk", "3"])
            }
            _ = try await waitUntil("the first histories") { workers[2].output.contains("\nop 1-") ? true : nil }
            try await Task.sleep(for: .milliseconds(.random(in: 0...200)))
            workers[2].stop(within: 0)
            try markAsFurther(2, in: directory)
            for worker in workers[..<2] {
                _ = try await waitUntil("the other processes", within: 300) { worker.termination }
                #expect(worker.termination == .exited(0), "\(worker.output.suffix(500))")
            }
            let outputs = workers.map(\.output)
            // The last line may be torn.
            let last = outputs[2].lastIndex(of: "\n").map { String(outputs[2][...$0]) } ?? ""
            var check = HistoryCheck(outputs[0], outputs[1], last)
            check.isCutOff = true
            expectOrder(check, seed: seed + kill)
            hits += check.count { $0.cacheStatus.contains("hit") }
            if !outputs[2].contains("op 19-2-last-2 ") { interrupted += 1 }
        }
        #expect(hits > kill * 20 && interrupted > kills / 2, "\(hits) hits, \(interrupted) interrupted")
    }

    /// The others do not wait for that process any more.
    private func markAsFurther(_ who: Int, in directory: TemporaryDirectory) throws {
        let file = try FileHandle(forWritingTo: directory.file("state"))
        try file.seek(toOffset: UInt64(who * 8))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 8))
        try file.close()
    }

    @Test(arguments: [("first", "left nothing"), ("comeback", "came back")])
    func parallelGETsStoreAResponseAndInvalidatedOnesStayAway(command: String, count: String) async throws {
        let rounds = Self.number("CACHE_ROUNDS") ?? 300
        for output in try await runBoth(command, ["\(rounds)"]) { #expect(output == "\(count): 0 of \(rounds)\n") }
    }

    @Test func invalidationInAReadOnlyFolderIsReported() async throws {
        let text = try await run("read-only", [])
        #expect(
            text.split(separator: "\n") == [
                "before: Networking; hit", "put: Networking; fwd=method; detail=invalidation-failed", "after: 504",
                "version: 1, Networking; fwd=uri-miss; detail=store", "second cache: 504", "other URL: 200",
                "data: not found", "not removed", "other URL: 504", "writable again: 200",
            ])
    }
}

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

    /// All that happened to the resource of the first violation, in order.
    var story: String {
        let resource = operations.keys.sorted().first { !(comebacks($0) + replaced($0) + lost($0)).isEmpty }
        let all = resource.flatMap { operations[$0] } ?? []
        return all.sorted { $0.start < $1.start }.map { "\($0)" }.joined(separator: "\n")
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
