import BenchKit
import Foundation

/// Where the numbers come from: without it they mean nothing.
enum Machine {
    static func description(notes: String) throws -> [String] {
        let date = ISO8601DateFormatter().string(from: Date())
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return ["\(date), \(field("model name")), \(field("cpu MHz")) MHz, \(cores) cores, Linux \(kernel)"]
            + notes.split(separator: "\n").map(String.init)
            + [try ChildProcess.libcurlVersion()]
    }

    /// The average number of running processes in the last minute.
    static var loadAverage: Double {
        text("/proc/loadavg").split(separator: " ").first.flatMap { Double($0) } ?? .nan
    }

    /// Waits until the load average is under 0.3. Returns whether it is, and the averages before and after in words.
    static func waitUntilQuiet(atMost seconds: Double) -> (isQuiet: Bool, words: String) {
        let before = loadAverage
        let deadline = System.now() + seconds
        while !(loadAverage < 0.3), System.now() < deadline { sleep(1) }
        let load = loadAverage
        let isQuiet = load < 0.3
        let words = "load \(before) at first, \(load) when the rounds began"
        return (isQuiet, isQuiet ? words : "NOT QUIET: \(words), which is not under 0.3")
    }

    private static func field(_ name: String) -> String {
        let line = text("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }

    private static var kernel: String {
        text("/proc/sys/kernel/osrelease").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func text(_ file: String) -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
}

/// What the processors did during a round, as shares of all cores.
struct Load: Codable {
    /// By any process, in user and system mode.
    var busy: Double
    /// By processes that are neither the contender, nor the server, nor this program.
    var others: Double
    /// Taken by other guests of the host.
    var stolen: Double
}

/// The counters from which a ``Load`` comes.
struct ProcessorTimes {
    private var total: Double
    private var busy: Double
    private var stolen: Double
    private var own: Double

    /// - Parameter server: the ids of the server's processes.
    static func now(server: [Int]) -> ProcessorTimes {
        // user nice system idle iowait irq softirq steal, in ticks
        let line = Machine.text("/proc/stat").prefix { $0 != "\n" }
        let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard ticks.count == 8 else { return ProcessorTimes(total: 0, busy: 0, stolen: 0, own: 0) }
        let second = Double(sysconf(Int32(_SC_CLK_TCK)))
        let own = System.cpuSeconds() + System.cpuSecondsOfChildren() + server.map(seconds).reduce(0, +)
        return ProcessorTimes(
            total: ticks.reduce(0, +) / second, busy: ticks[..<3].reduce(0, +) / second, stolen: ticks[7] / second,
            own: own)
    }

    /// Processor seconds of another process.
    private static func seconds(of process: Int) -> Double {
        // The name, in parentheses, may have blanks. utime and stime are the 14th and 15th of all fields.
        let fields = Machine.text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    func load(until end: ProcessorTimes) -> Load {
        let total = max(end.total - total, .leastNonzeroMagnitude)
        let busy = end.busy - self.busy
        return Load(
            busy: busy / total, others: max(0, busy - (end.own - own)) / total, stolen: (end.stolen - stolen) / total)
    }
}
