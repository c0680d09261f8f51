import BenchKit
import Foundation
import NetTransfer

/// Compares downloads of a large file with the curl command's, each in a process of its own, from an nginx in a third:
///
///     swift run -c release --package-path Benchmarks bench-download [ROUNDS]
///     swift run -c release --package-path Benchmarks bench-download coded [ROUNDS]
///
/// The second compares bodies in content codings: see `CodedComparison`. `bench-download bomb` is `BombMeasurement`.
///
/// The file is a hole of 1 GB: reading it costs no disk. Both write it to the same folder, by turns, and both put it on the medium: ours before
/// it gives it its name, curl's by `sync -d` afterwards.
/// The seconds are those of the whole process. The ratio is that of each round.
@main
enum DownloadComparison {
    static let size = 1_000_000_000

    static func main() async throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "download" where arguments.count == 5:
            guard let url = URL(string: arguments[2]), let connections = Int(arguments[4]) else {
                throw Failure("\(arguments)")
            }
            try await download(url, to: URL(fileURLWithPath: arguments[3]), connections: connections)
        case "read" where arguments.count == 3:
            guard let url = URL(string: arguments[2]) else { throw Failure("\(arguments)") }
            try await CodedComparison.read(url)
        case "coded":
            try CodedComparison.compare(rounds: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 7)
        case "bomb": try await BombMeasurement.run()
        case let rounds: try compare(rounds: rounds.flatMap { Int($0) } ?? 7)
        }
    }

    /// Fetches the file and prints 0, processor seconds and peak memory.
    private static func download(_ url: URL, to file: URL, connections: Int) async throws {
        let registry = DownloadRegistry(folder: file.deletingLastPathComponent().appendingPathComponent("registry"))
        var options = Downloader.Options()
        options.connections = connections
        let client = NetworkClient()
        _ = try await client.download(from: url, to: file, options: options, registry: registry).task.value
        print(0, System.cpuSeconds(), System.peakBytes() ?? 0)
    }

    private static func compare(rounds: Int) throws {
        let server = try FileServer(size: size)
        defer { server.end() }
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let file = server.folder.appendingPathComponent("arrived").path

        print("downloads of \(size / 1_000_000) MB, medians of \(rounds) rounds")
        print(
            "| connections | NetworkClient MB/s | CPU ms | peak memory MB | curl and sync MB/s | CPU ms | ratio of MB/s |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for connections in [1, 4] {
            var ours: [[Double]] = []
            var theirs: [[Double]] = []
            for _ in 0..<rounds {
                unlink(file)
                var began = System.now()
                var figures = try Program(program, ["download", server.address, file, "\(connections)"]).numbers()
                figures[0] = System.now() - began
                ours.append(figures)
                guard try System.length(of: file) == size else { throw Failure("the file is not whole") }
                unlink(file)
                let cpu = System.cpuSecondsOfChildren()
                began = System.now()
                let command = "curl -s -o '\(file)' '\(server.address)' && sync -d '\(file)' && echo 0"
                _ = try Program("/bin/sh", ["-c", command]).numbers()
                theirs.append([System.now() - began, System.cpuSecondsOfChildren() - cpu])
            }
            let ratios = zip(theirs, ours).map { $0[0] / $1[0] }
            let cells = [
                "\(connections)", speed(ours), milliseconds(ours), "\(Int((ours.map { $0[2] }.max() ?? 0) / 1e6))",
                speed(theirs), milliseconds(theirs),
                String(format: "%.2f (%.2f-%.2f)", median(ratios), ratios.min() ?? 0, ratios.max() ?? 0),
            ]
            print("| \(cells.joined(separator: " | ")) |")
        }
    }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func speed(_ rounds: [[Double]]) -> String {
        "\(Int(Double(size) / 1e6 / median(rounds.map { $0[0] })))"
    }

    private static func milliseconds(_ rounds: [[Double]]) -> String {
        "\(Int(median(rounds.map { $0[1] }) * 1000))"
    }
}

extension System {
    fileprivate static func length(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }
}
