import BenchKit
import Foundation

/// Runs a contender in a process of its own.
enum ChildProcess {
    /// A program that lies beside this one.
    static func work(_ contender: Contender, _ order: WorkOrder) throws -> Score {
        guard let name = contender.program else { return try curl(order) }
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
            name)
        let arguments: [String]
        if contender == .c {
            let numbers = ["\(order.expectedLength)", "\(order.tasks)", "\(order.warmUp)", "\(order.seconds)"]
            arguments =
                [order.url.absoluteString, order.authority] + numbers + ["\(order.timeLimit)"]
                + (order.output.map { [$0] } ?? [])
        } else {
            arguments = [String(decoding: try JSONEncoder().encode(order), as: UTF8.self)]
        }
        return try JSONDecoder().decode(Score.self, from: Data(try run(program.path, arguments).output.utf8))
    }

    /// The version of libcurl on this machine.
    static func libcurlVersion() throws -> String {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
            "bench-c")
        return try run(program.path, ["--version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The `curl` command, timed by itself.
    private static func curl(_ order: WorkOrder) throws -> Score {
        let cpuBegan = System.cpuSecondsOfChildren()
        let (output, peakBytes) = try run(
            "/usr/bin/env",
            [
                "curl", "-q", "-sS", "--fail", "-o", order.output ?? "/dev/null", "-w", "%{time_total}",
                order.url.absoluteString,
            ])
        guard let seconds = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)), seconds > 0 else {
            throw Failure("curl said: \(output)")
        }
        return Score(
            requests: 1, seconds: seconds, cpuSeconds: System.cpuSecondsOfChildren() - cpuBegan, peakBytes: peakBytes)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> (output: String, peakBytes: Int) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Looked at while it runs: afterwards it is gone, and the system's own maximum counts the parent's memory too.
        var peakBytes = 0
        while process.isRunning {
            peakBytes = max(peakBytes, System.peakBytes(of: String(process.processIdentifier)) ?? 0)
            usleep(10_000)
        }
        process.waitUntilExit()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.terminationReason == .exit || process.terminationStatus != SIGALRM else {
            throw Failure("lost a response: hung until it was ended")
        }
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            let end = "\(process.terminationReason == .exit ? "exit" : "signal") \(process.terminationStatus)"
            throw Failure("\(end): \(complaint.trimmingCharacters(in: .whitespacesAndNewlines))")
        }
        return (said, peakBytes)
    }
}
