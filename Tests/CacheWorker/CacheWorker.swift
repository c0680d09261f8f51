import NetCache

/// One of the processes that share the folder of a disk cache: the tests start them, and look at what they write.
///
///     cache-worker histories FOLDER WHO SEED COUNT    random histories; a log on standard output
///     cache-worker histories FOLDER WHO SEED COUNT STORE PROCESSES    the same in 1 to 8 processes; STORE is disk, or memory or tiered for one
///     cache-worker first FOLDER WHO ROUNDS            parallel first GETs of one URL
///     cache-worker comeback FOLDER WHO ROUNDS         304s that overlap invalidations
///     cache-worker read-only FOLDER                   an invalidation in a folder that cannot be changed
///
/// WHO is 0, 1 and so on; there are two processes where nothing else is said.
@main
enum CacheWorker {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments[1...])
        guard arguments.count >= 2 else { return usage() }
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        switch (arguments[0], arguments.count) {
        case ("histories", 5):
            let histories = try Histories(folder, who: Int(arguments[2]) ?? 0, seed: UInt64(arguments[3]) ?? 1)
            try await histories.run(count: Int(arguments[4]) ?? 1)
        case ("histories", 7):
            let histories = try Histories(
                folder, who: Int(arguments[2]) ?? 0, seed: UInt64(arguments[3]) ?? 1, store: arguments[5],
                processes: Int(arguments[6]) ?? 1)
            try await histories.run(count: Int(arguments[4]) ?? 1)
        case ("first", 4):
            let rounds = try Rounds(folder, who: Int(arguments[2]) ?? 0, count: Int(arguments[3]) ?? 1)
            try await rounds.firstGETs()
        case ("comeback", 4):
            let rounds = try Rounds(folder, who: Int(arguments[2]) ?? 0, count: Int(arguments[3]) ?? 1)
            try await rounds.comebacks()
        case ("read-only", 2):
            try await ReadOnlyFolder.run(in: folder)
        default: usage()
        }
    }

    private static func usage() {
        say("usage: see CacheWorker.swift")
        exit(2)
    }

    static func say(_ lines: String...) { FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8)) }
}
