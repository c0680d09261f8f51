import Foundation

/// Runs a contender in a process of its own.
enum ChildProcess {
    /// This program again, as a worker.
    static func work(_ order: WorkOrder) throws -> Measurement {
        let json = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        let output = try run(CommandLine.arguments[0], ["worker", json]).output
        return try JSONDecoder().decode(Measurement.self, from: Data(output.utf8))
    }

    /// The `curl` command, timed by itself.
    static func curl(_ url: URL, to file: String) throws -> Measurement {
        let cpuBegan = System.cpuSecondsOfChildren()
        let (output, peakBytes) = try run(
            "/usr/bin/env", ["curl", "-q", "-sS", "--fail", "-o", file, "-w", "%{time_total}", url.absoluteString])
        guard let seconds = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)), seconds > 0 else {
            throw Failure("curl said: \(output)")
        }
        return Measurement(
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
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            let end = "\(process.terminationReason == .exit ? "exit" : "signal") \(process.terminationStatus)"
            throw Failure("\(end): \(complaint.trimmingCharacters(in: .whitespacesAndNewlines))")
        }
        return (said, peakBytes)
    }
}
