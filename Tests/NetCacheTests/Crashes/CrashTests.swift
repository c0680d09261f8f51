import TestLab
import Testing

@testable import NetCache

@Suite("Killed while writing", .startsProcesses) struct CrashTests {
    /// A hundred kills if all is run: 25 rounds of four processes that share a cache and have a queue each.
    @Test func killedWritersLoseNoAcceptedOperation() async throws {
        let lab = try CrashLab()
        var random = SeededGenerator(state: 42)
        var promises = [[String: String]](repeating: [:], count: 4)
        var (interrupted, kills, leftovers, found) = (0, 0, 0, 0)
        for round in 0..<Volume.pick(quick: 3, full: 25) {
            let processes = try (0..<4).map { try lab.start(writer: $0, round: round) }
            for (writer, process) in processes.enumerated() {
                _ = try await waitUntil("writer \(writer) is at work", within: 60) {
                    let texts = ["added", "stored"]
                    return process.termination != nil || texts.allSatisfy { process.output.contains($0) } ? true : nil
                }
            }
            usleep(UInt32.random(in: 0...20_000, using: &random))
            for (writer, process) in processes.enumerated() {
                process.send(signal: SIGKILL)
                #expect(
                    process.stop() == .signalled(SIGKILL), "it must not end by itself: \(process.output.suffix(500))")
                let refusals = process.output.split(separator: "\n").filter { $0.hasPrefix("not stored") }
                #expect(refusals.isEmpty, "writers do not get into each other's way")
                promises[writer].merge(CrashLab.promises(in: process.output)) { $1 }
                kills += 1
            }
            let left = lab.interruptedWriters()
            interrupted += left.intersection(processes.map(\.identifier)).count
            for writer in 0..<4 {
                let journal = try await PendingOperationsJournal(fileURL: lab.queueFile(writer))
                #expect(journal.recovery.damagedBytes == 0)
            }
            let check = try await lab.checkCache()
            found += check.found
            #expect(check.torn == 0, "round \(round)")
            leftovers += left.subtracting(lab.interruptedWriters()).count
        }
        #expect(lab.interruptedWriters().isEmpty, "what they left is removed")
        for writer in 0..<4 {
            var deliveries = try lab.deliveries(writer)
            let sender = ScriptedSender()
            let queue = try await PendingOperationsQueue(fileURL: lab.queueFile(writer), client: sender)
            #expect(await queue.processAll().stop == nil)
            for sent in sender.sent { deliveries[sent.path, default: []].append(sent.key ?? "none") }
            for (number, key) in promises[writer] {
                let keys = deliveries[number] ?? []
                #expect(!keys.isEmpty, "operation \(number) of writer \(writer) is lost")
                #expect(Set(keys) == [key], "operation \(number) of writer \(writer) went out under \(keys)")
            }
            for (number, keys) in deliveries { #expect(Set(keys).count == 1, "operation \(number): \(keys)") }
        }
        let promised = promises.reduce(0) { $0 + $1.count }
        #expect(
            interrupted > (Volume.isFull ? kills / 4 : 0), "many of them must hit a write, or the test shows nothing")
        #expect(leftovers == interrupted, "each was found and removed")
        #expect(found > kills && promised > kills)
    }

    @Test func fullDiskIsReportedAndStoresNoEntry() async throws {
        let directory = try TemporaryDirectory()
        let result = try await ProcessRunner.run(CrashLab.program(), ["limit", directory.url.path])
        #expect(result.termination == .exited(0))
        #expect(
            String(decoding: result.output, as: UTF8.self).split(separator: "\n") == [
                "stored 1000", "found 1000", "not stored 50000", "found -1", "not stored 500000", "found -1",
                "data: -1", "leftovers: 0", "added 1000", "not added 50000", "added 60000", "operations: [1000, 60000]",
                // The disk is full, and what was sent is not sent again.
                "succeeded: 103, stopped: false, sent in all: 103", "left after a restart: 0", "it was emptied: true",
                // Nothing can be written: one is sent, and the pass stops. The next one sends nothing before the first is noted.
                "succeeded: 0, stopped: true, sent in all: 104", "succeeded: 0, stopped: true, sent in all: 104",
                "succeeded: 3, stopped: false, sent in all: 106", "left: 0",
            ])
    }

    /// Three processes add to one queue and send from it at the same time. One that is killed may have sent one more than it has noted.
    @Test(arguments: [false, true]) func processesThatShareAQueueSendEachOperationOnce(isOneKilled: Bool) async throws {
        let lab = try CrashLab()
        let count = Volume.pick(quick: 40, full: 200)
        let counts = [isOneKilled ? 1_000_000 : count, count, count]
        let processes = try counts.enumerated().map { writer, count in
            try BackgroundProcess(
                CrashLab.program(),
                ["share", lab.queueFile(0).path, lab.logFile(0).path, "\((2 - writer) * 1000)", "\(count)"])
        }
        if isOneKilled {
            _ = try await waitUntil("it is at work") { processes[0].output.count > 500 ? true : nil }
            processes[0].send(signal: SIGKILL)
            #expect(processes[0].stop() == .signalled(SIGKILL))
        }
        for process in processes[(isOneKilled ? 1 : 0)...] {
            _ = try await waitUntil("it has ended", within: 300) { process.termination }
            #expect(process.termination == .exited(0), "\(process.output.suffix(500))")
        }
        var deliveries = try lab.deliveries(0)
        let promises = processes.map { CrashLab.promises(in: $0.output) }.reduce(into: [:]) { $0.merge($1) { $1 } }
        guard isOneKilled else {
            #expect(promises.count == 3 * count && deliveries == promises.mapValues { [$0] })
            return
        }
        let sender = ScriptedSender()
        #expect(try await PendingOperationsQueue(fileURL: lab.queueFile(0), client: sender).processAll().stop == nil)
        for sent in sender.sent { deliveries[sent.path, default: []].append(sent.key ?? "none") }
        for (number, key) in promises { #expect(deliveries[number].map(Set.init) == [key], "operation \(number)") }
        #expect(deliveries.values.filter { $0.count > 1 }.count <= 1)
    }
}

/// Four processes that write into one cache and into a queue each, to be killed.
struct CrashLab {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }
    static func program() throws -> String { try Executable.beside("crash-writer") }
    var cacheFolder: URL { directory.file("cache") }
    func queueFile(_ writer: Int) -> URL { directory.file("queue-\(writer)") }
    func logFile(_ writer: Int) -> URL { directory.file("log-\(writer)") }

    func start(writer: Int, round: Int) throws -> BackgroundProcess {
        let paths = [cacheFolder.path, queueFile(writer).path, logFile(writer).path]
        let numbers = ["\(round * 4 + writer + 1)", "\(round * 1_000_000)"]
        return try BackgroundProcess(Self.program(), ["run"] + paths + numbers)
    }

    /// The processes that were killed while they wrote an entry: they left a file that has their number in its name.
    func interruptedWriters() -> Set<Int32> {
        let all = FileManager.default.enumerator(at: cacheFolder, includingPropertiesForKeys: nil)?.allObjects as? [URL]
        let names = (all ?? []).map(\.lastPathComponent).filter { $0.hasSuffix(DiskName.temporarySuffix) }
        return Set(names.compactMap { Int32($0.prefix { $0 != "-" }) })
    }

    private static func words(_ line: Substring) -> [String] { line.split(separator: " ").map(String.init) }

    /// What was promised: the number and the key of each operation of which the process has said that it is stored.
    static func promises(in output: String) -> [String: String] {
        // The last line may be torn.
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(words)
        return Dictionary(lines.filter { $0.count == 3 && $0[0] == "added" }.map { ($0[1], $0[2]) }) { $1 }
    }

    /// What the server saw: the keys under which each operation came.
    func deliveries(_ writer: Int) throws -> [String: [String]] {
        guard FileManager.default.fileExists(atPath: logFile(writer).path) else { return [:] }
        let text = String(decoding: try Data(contentsOf: logFile(writer)), as: UTF8.self)
        let lines = text.split(separator: "\n").map(Self.words).filter { $0.count == 3 }
        return Dictionary(grouping: lines) { $0[0] }.mapValues { $0.map { $0[1] } }
    }

    /// Reads all that the cache has, and holds it against what its head says of it. Removes what crashed writers have left.
    func checkCache() async throws -> (found: Int, torn: Int) {
        let cache = DiskCache(directory: cacheFolder, maxBytes: 8 << 20)
        var (found, torn) = (0, 0)
        for number in 0..<40 {
            let key = HTTPCacheKey(url: "https://example.com/\(number)")
            for entry in try await cache.entries(for: key) {
                guard let body = try await cache.body(of: entry, for: key) else { continue }
                found += 1
                if try await !Self.isWhole(body.collect(upTo: .max), entry) { torn += 1 }
            }
        }
        // Through this cache, whose first walk is over then. A walk of another one would only count meanwhile.
        await cache.trim()
        return (found, torn)
    }

    private static func isWhole(_ body: Data, _ entry: HTTPCacheEntry) -> Bool {
        guard let seed = entry.headers["X-Seed"].flatMap({ UInt64($0) }),
            let words = entry.headers["X-Words"].flatMap({ Int($0) }), body.count == words * 8
        else { return false }
        return body.withUnsafeBytes { bytes in
            var word = seed
            for index in 0..<words {
                if bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) != word { return false }
                word &+= 0x9E37_79B9_7F4A_7C15
            }
            return true
        }
    }
}
