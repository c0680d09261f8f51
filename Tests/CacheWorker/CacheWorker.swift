import NetCache

/// One of the processes that share the folder of a disk cache: the tests start them, and look at what they write.
///
///     cache-worker histories FOLDER WHO SEED COUNT STORE PROCESSES    random histories; a log on standard output
///     cache-worker first FOLDER WHO ROUNDS                            parallel first GETs of one URL
///     cache-worker comeback FOLDER WHO ROUNDS                         304s that overlap invalidations
///     cache-worker read-only FOLDER                                   an invalidation in a folder that cannot be changed
///
/// WHO is 0, 1 and so on; there are 1 to 8 PROCESSES, or two. STORE is disk, or memory or tiered for one process.
@main
enum CacheWorker {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments[1...])
        guard arguments.count >= 2 else { return usage() }
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        func number(_ index: Int) -> Int { index < arguments.count ? Int(arguments[index]) ?? 1 : 1 }
        switch (arguments[0], arguments.count) {
        case ("histories", 7):
            let (who, seed, processes) = (number(2), UInt64(number(3)), number(6))
            let histories = try Histories(folder, who: who, seed: seed, store: arguments[5], processes: processes)
            try await histories.run(count: number(4))
        case ("first", 4): try await Rounds(folder, who: number(2), count: number(3)).firstGETs()
        case ("comeback", 4): try await Rounds(folder, who: number(2), count: number(3)).comebacks()
        case ("read-only", 2): try await ReadOnlyFolder.run(in: folder)
        default: usage()
        }
    }

    private static func usage() {
        say("usage: see CacheWorker.swift")
        exit(2)
    }

    static func say(_ lines: String...) { FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8)) }
}
