import BenchKit
import Foundation

/// Runs a contender in a process of its own.
enum ChildProcess {
    /// A program that lies beside this one.
    static func path(of program: String) -> String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(program).path
    }

    static func work(_ contender: Contender, _ order: WorkOrder) throws -> Score {
        guard let name = contender.program else { return try contender == .wrk ? wrk(order) : curl(order) }
        let output = try run(path(of: name), try arguments(contender, order)).output
        return try JSONDecoder().decode(Score.self, from: Data(output.utf8))
    }

    /// The instructions that a contender executes in user space in the course of an order, counted by valgrind.
    static func instructions(_ contender: Contender, _ order: WorkOrder) throws -> Double {
        guard let name = contender.program else { throw Failure("the command is not counted") }
        let counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        let complaint = try run("/usr/bin/env", counter + [path(of: name)] + arguments(contender, order)).complaint
        guard let count = complaint.firstMatch(of: /I +refs: +([\d,]+)/)?.1,
            let value = Double(count.filter(\.isNumber))
        else { throw Failure("valgrind said: \(complaint.suffix(300))") }
        return value
    }

    /// The version of libcurl on this machine.
    static func libcurlVersion() throws -> String {
        try run(path(of: "bench-c"), ["--version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func arguments(_ contender: Contender, _ order: WorkOrder) throws -> [String] {
        contender == .c ? order.words : [String(decoding: try JSONEncoder().encode(order), as: UTF8.self)]
    }

    /// The `curl` command, timed by itself.
    private static func curl(_ order: WorkOrder) throws -> Score {
        let cpuBegan = System.cpuSecondsOfChildren()
        let command = [
            "curl", "-q", "-sS", "--fail", "-o", order.output, "-w", "%{time_total}", order.url.absoluteString,
        ]
        let (output, _, peakBytes) = try run("/usr/bin/env", command, isWatched: true)
        guard let seconds = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)), seconds > 0 else {
            throw Failure("curl said: \(output)")
        }
        return Score(
            requests: 1, seconds: seconds, cpuSeconds: System.cpuSecondsOfChildren() - cpuBegan, peakBytes: peakBytes)
    }

    /// The `wrk` command with one thread. It knows whole seconds only.
    private static func wrk(_ order: WorkOrder) throws -> Score {
        let cpuBegan = System.cpuSecondsOfChildren()
        let command = [
            "wrk", "-t1", "-c\(order.tasks)", "-d\(max(1, Int(order.seconds.rounded(.up))))s", order.url.absoluteString,
        ]
        let output = try run("/usr/bin/env", command).output
        guard let rate = output.firstMatch(of: /Requests\/sec: +([\d.]+)/).flatMap({ Double($0.1) }), rate > 0,
            let requests = output.firstMatch(of: /(\d+) requests in/).flatMap({ Int($0.1) }), requests > 0,
            !output.contains("Non-2xx"), !output.contains("Socket errors")
        else { throw Failure("wrk said: \(output)") }
        return Score(
            requests: requests, seconds: Double(requests) / rate,
            cpuSeconds: System.cpuSecondsOfChildren() - cpuBegan, peakBytes: 0)
    }

    /// - Parameter isWatched: whether to look at the process's memory while it runs: afterwards it is gone, and the system's own maximum
    ///   counts the parent's memory too. Workers tell theirs.
    private static func run(
        _ program: String, _ arguments: [String], isWatched: Bool = false
    ) throws -> (output: String, complaint: String, peakBytes: Int) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var peakBytes = 0
        while isWatched, process.isRunning {
            peakBytes = max(peakBytes, System.peakBytes(of: String(process.processIdentifier)) ?? 0)
            usleep(10_000)
        }
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit || process.terminationStatus != SIGALRM else {
            throw Failure("lost a response: hung until it was ended")
        }
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            let end = "\(process.terminationReason == .exit ? "exit" : "signal") \(process.terminationStatus)"
            throw Failure("\(end): \(complaint.trimmingCharacters(in: .whitespacesAndNewlines))")
        }
        return (said, complaint, peakBytes)
    }
}
