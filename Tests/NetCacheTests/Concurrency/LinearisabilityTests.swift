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
        let logs = try await runBoth("histories", ["\(seed)", "\(count)"])
        let check = HistoryCheck(logs[0], logs[1])
        print(
            "histories: \(count) of seed \(seed), \(check.count { _ in true }) operations, "
                + "\(check.count { $0.cacheStatus.contains("hit") }) hits, "
                + "\(check.count { $0.cacheStatus.contains("fwd-status=304") }) validations, "
                + "\(check.count { $0.kind == "put" }) invalidations")
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
        print("histories with kills: \(kill) of seed \(seed), \(hits) hits, \(interrupted) interrupted")
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
