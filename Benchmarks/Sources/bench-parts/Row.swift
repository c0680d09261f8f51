import BenchKit

/// One figure of the SDK's own parts: what an operation costs, beside a peer or a baseline where there is one.
struct Row {
    var name: String
    /// What an issue asks for, in words; empty if nothing is asked.
    var goal = ""
    /// How many operations are measured at once.
    var operations: Int
    /// Bytes that one operation handles; 0 for an operation that is counted and not weighed.
    var bytes = 0
    /// Runs that many operations.
    var run: (Int) async throws -> Void

    /// The median of several rounds, all of them after one that warms up.
    func measure(rounds: Int) async throws -> Figure {
        try await run(max(1, operations / 10))
        var figures: [Figure] = []
        for _ in 0..<rounds {
            let (start, cpu) = (System.now(), System.cpuSeconds())
            try await run(operations)
            let seconds = (System.now() - start) / Double(operations)
            figures.append(Figure(seconds: seconds, cpuSeconds: (System.cpuSeconds() - cpu) / Double(operations)))
        }
        return figures.sorted { $0.cpuSeconds < $1.cpuSeconds }[rounds / 2]
    }

    func text(_ figure: Figure) -> [String] {
        let throughput = bytes > 0 ? "\(Int(Double(bytes) / figure.cpuSeconds / 1e6)) MB/s" : ""
        return [name, Self.time(figure.seconds), Self.time(figure.cpuSeconds), throughput, goal]
    }

    private static func time(_ seconds: Double) -> String {
        seconds < 1e-6
            ? "\(Int(seconds * 1e9)) ns"
            : seconds < 1e-3 ? "\(rounded(seconds * 1e6)) µs" : "\(rounded(seconds * 1e3)) ms"
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// Of one operation.
struct Figure {
    var seconds: Double
    var cpuSeconds: Double
}
