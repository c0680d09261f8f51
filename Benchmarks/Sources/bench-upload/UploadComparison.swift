import BenchKit
import Foundation
import NetTransfer

/// Compares uploads of a large file with the curl command's, each in a process of its own, to a sink in a third:
///
///     swift run -c release --package-path Benchmarks bench-upload [ROUNDS]
///
/// The file is a hole of 1 GB: reading it costs no disk. The ratio is that of each round; both take their turns.
@main
enum UploadComparison {
    static let size = 1_000_000_000

    static func main() async throws {
        // A peer that goes away is an error and no reason to die.
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "sink":
            let sink = try Sink()
            print(sink.port)
            fflush(nil)
            try sink.run()
        case "upload" where arguments.count == 5:
            guard let kind = Kind(rawValue: arguments[2]), let url = URL(string: arguments[4]) else {
                throw Failure("\(arguments)")
            }
            try await upload(kind, URL(fileURLWithPath: arguments[3]), to: url)
        case let rounds: try compare(rounds: rounds.flatMap { Int($0) } ?? 7)
        }
    }

    /// Sends the file and prints seconds, processor seconds and peak memory.
    private static func upload(_ kind: Kind, _ file: URL, to url: URL) async throws {
        let client = NetworkClient()
        let request = Request<EmptyResponse>(method: .post, absoluteURL: url)
        let began = System.now()
        switch kind {
        case .multipart:
            let formData = MultipartFormData()
            try formData.append(fileURL: file, name: "file")
            _ = try await client.upload(for: request, from: .multipart(formData))
        case .file:
            _ = try await client.upload(for: request, from: .file(file))
        }
        print(System.now() - began, System.cpuSeconds(), System.peakBytes() ?? 0)
    }

    private static func compare(rounds: Int) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("bench-upload-\(getpid())").path
        let output = try OutputFile(path: file)
        defer { unlink(file) }
        guard ftruncate(output.descriptor, off_t(size)) == 0 else { throw Failure("ftruncate: \(errno)") }
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let sink = try Program(program, ["sink"])
        defer { sink.end() }
        let address = "http://127.0.0.1:\(Int(try sink.line().first ?? 0))/"

        print("uploads of \(size / 1_000_000) MB, medians of \(rounds) rounds")
        print("| upload | NetworkClient MB/s | CPU ms | peak memory MB | curl MB/s | CPU ms | ratio of MB/s |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for kind in Kind.allCases {
            var ours: [[Double]] = []
            var theirs: [[Double]] = []
            for _ in 0..<rounds {
                ours.append(try Program(program, ["upload", kind.rawValue, file, address]).numbers())
                let cpu = System.cpuSecondsOfChildren()
                let command = ["curl", "-s", "-o", "/dev/null", "-w", "%{time_total}"] + kind.curl(file) + [address]
                let seconds = try Program("/usr/bin/env", command).numbers()[0]
                theirs.append([seconds, System.cpuSecondsOfChildren() - cpu])
            }
            let ratios = zip(theirs, ours).map { $0[0] / $1[0] }
            let cells = [
                kind.rawValue, speed(ours), milliseconds(ours), "\(Int((ours.map { $0[2] }.max() ?? 0) / 1e6))",
                speed(theirs), milliseconds(theirs),
                String(format: "%.2f (%.2f-%.2f)", median(ratios), ratios.min() ?? 0, ratios.max() ?? 0),
            ]
            print("| \(cells.joined(separator: " | ")) |")
        }
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func speed(_ rounds: [[Double]]) -> String {
        "\(Int(Double(size) / 1e6 / median(rounds.map { $0[0] })))"
    }

    private static func milliseconds(_ rounds: [[Double]]) -> String {
        "\(Int(median(rounds.map { $0[1] }) * 1000))"
    }

    enum Kind: String, CaseIterable {
        case multipart
        case file

        func curl(_ file: String) -> [String] {
            switch self {
            case .multipart: ["-F", "file=@\(file)"]
            case .file: ["-X", "POST", "-T", file]
            }
        }
    }
}
