import BenchKit
import Foundation

/// Measures parts of the SDK by themselves, in one process: `swift run -c release --package-path Benchmarks bench-parts [NAME …]`.
///
/// Each file in Rows/ adds its rows to the list below. With names only the rows that begin with one of them run.
/// `bench-parts memory` measures what a call in flight holds.
@main
enum Parts {
    static let rounds = 7

    static func rows() async throws -> [Row] {
        try await pipelineRows() + limitRows() + multipartRows() + streamRows() + cacheRows() + diskRows()
            + pinningRows() + loggingRows()
    }

    static func main() async throws {
        let names = Array(CommandLine.arguments.dropFirst())
        if names.first == "memory" {
            if let index = names.dropFirst().first.flatMap({ Int($0) }) { return try await Memory.measure(index) }
            return try Memory.printTable()
        }
        var table = [["what", "time", "CPU", "throughput", "goal"], ["---", "---", "---", "---", "---"]]
        for row in try await rows() where names.isEmpty || names.contains(where: row.name.hasPrefix) {
            table.append(row.text(try await row.measure(rounds: rounds)))
        }
        for line in table { print("| \(line.joined(separator: " | ")) |") }
    }
}
