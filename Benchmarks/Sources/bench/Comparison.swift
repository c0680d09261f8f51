import BenchKit
import Foundation

/// Runs the contenders by turns (A B C D B C D A …), so that what the machine does meanwhile hits all of them alike.
final class Comparison {
    private let options: Options
    private var failures: [Incident] = []

    private struct Incident {
        var contender: Contender
        var text: String

        var line: String { "FAILED: \(contender.title): \(text)" }
    }

    init(options: Options) {
        self.options = options
    }

    /// Prints the tables and writes the files. False if the SDK failed anywhere; where a peer did, that is part of the result.
    func run() throws -> Bool {
        let workloads = try Workload.all(options)
        guard !workloads.isEmpty else { throw Failure("no row is called \(options.only.joined(separator: " or "))") }
        say("waiting for a load under 0.3, at most \(Int(options.wait)) s")
        let (isQuiet, load) = Machine.waitUntilQuiet(atMost: options.wait)
        var rows: [RowResult] = []
        for (index, workload) in workloads.enumerated() {
            rows.append(measure(workload, "\(index + 1) of \(workloads.count)"))
        }
        let result = RunResult(
            machine: try Machine.description(notes: options.notes) + [load, leftOut].filter { !$0.isEmpty },
            isQuiet: isQuiet, secondsOfRound: options.seconds, rows: rows, failures: failures.map(\.line))
        print(result.text)
        try options.markdown.map { try result.markdown.write(toFile: $0, atomically: true, encoding: .utf8) }
        try options.result.map {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(result).write(to: URL(fileURLWithPath: $0))
        }
        return !failures.contains { $0.contender == .sdk }
    }

    /// The contenders that cannot take part, with the reasons.
    private var leftOut: String {
        let missing = options.contenders.filter { !$0.isBuilt }.map {
            "LEFT OUT: \($0.title), which could not be built"
        }
        let untrusting = "LEFT OUT: URLSession on https, since only root can make it trust the server here"
        return (missing + (options.urlSessionTrustsAuthority ? [] : [untrusting])).joined(separator: "; ")
    }

    /// Measures every contender once a round. One that fails twice is left out from then on.
    private func measure(_ workload: Workload, _ place: String) -> RowResult {
        let isEncrypted = workload.order.url.scheme == "https"
        let able = workload.contenders.filter { contender in
            options.contenders.contains(contender) && contender.isBuilt
                && (contender != .urlSession || !isEncrypted || options.urlSessionTrustsAuthority)
        }
        var row = RowResult(workload)
        var failed: [Contender: Int] = [:]
        let bounds = workload.rounds(options)
        let began = System.now()
        for round in 1...bounds.upperBound {
            let before = ProcessorTimes.now(server: options.server)
            let first = round % max(1, able.count)
            for contender in able[first...] + able[..<first]
            where failed[contender, default: 0] < 2 && round <= workload.limit(of: contender) {
                do {
                    row.scores[contender, default: [:]][round] = try score(contender, workload)
                } catch {
                    failed[contender, default: 0] += 1
                    failures.append(Incident(contender: contender, text: "\(workload.title), round \(round): \(error)"))
                }
            }
            row.loads.append(before.load(until: .now(server: options.server)))
            row.compare(workload)
            if round >= bounds.lowerBound, row.isCertain(workload) || System.now() > began + options.rowSeconds {
                break
            }
        }
        say("row \(place): \(workload.title): \(row.outcome)")
        if options.withInstructions, workload.kind == .requests, workload.order.tasks == 16 {
            row.instructions = instructions(of: workload, able)
        }
        return row
    }

    private func score(_ contender: Contender, _ workload: Workload) throws -> Score {
        let output = workload.order.output
        defer { if !output.isEmpty { try? FileManager.default.removeItem(atPath: output) } }
        let log = HandshakeLog(directory: options.directory)
        let isHandshake = workload.order.url.lastPathComponent == "handshake"
        if isHandshake { try log.clear() }
        var score = try ChildProcess.work(contender, workload.order)
        if isHandshake { score.resumed = try log.shareOfResumed() }
        if !output.isEmpty {
            let size = try FileManager.default.attributesOfItem(atPath: output)[.size] as? Int
            guard size == workload.order.expectedLength else { throw Failure("a file of \(size ?? 0) bytes") }
        }
        return score
    }

    /// Instructions per request: twice as many requests, less the half, which leaves out what a process does at its start.
    private func instructions(of workload: Workload, _ contenders: [Contender]) -> [Contender: Double] {
        var counts: [Contender: Double] = [:]
        for contender in contenders {
            do {
                let totals = try [1024, 2048].map { requests in
                    var order = workload.order
                    order.requests = requests
                    return try ChildProcess.instructions(contender, order)
                }
                counts[contender] = (totals[1] - totals[0]) / 1024
            } catch {
                failures.append(Incident(contender: contender, text: "\(workload.title), instructions: \(error)"))
            }
        }
        return counts
    }

    private func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}

/// What the server wrote about its TLS connections: a line for each request, `r` for a resumed session or `.`, and the number of the request
/// on its connection.
private struct HandshakeLog {
    private let path: String

    init(directory: String) { path = directory + "/handshakes.log" }

    func clear() throws { try Data().write(to: URL(fileURLWithPath: path)) }

    /// Throws unless each request had a connection of its own.
    func shareOfResumed() throws -> Double {
        let lines = Machine.text(path).split(separator: "\n")
        guard !lines.isEmpty, lines.allSatisfy({ $0.hasSuffix(" 1") }) else {
            throw Failure("connections were used again, or the server has no log")
        }
        return Double(lines.count { $0.hasPrefix("r") }) / Double(lines.count)
    }
}
