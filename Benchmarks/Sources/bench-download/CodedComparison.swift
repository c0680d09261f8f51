import BenchKit
import Foundation
import NetTransfer

/// Compares bodies of 100 MB in content codings with the curl command's `--compressed`, each in a process of its own, by turns. Both decode
/// and drop what they read.
enum CodedComparison {
    static let size = 100_000_000

    /// Reads the body as a stream and prints seconds, processor seconds and peak memory.
    static func read(_ url: URL) async throws {
        let began = System.now()
        var context = RequestContext()
        context.delivery = .streamed
        let response = try await NetworkClient().send(URLRequest(url: url), body: nil, context: context)
        var count = 0
        for try await chunk in response.body { count += chunk.count }
        guard count == size else { throw Failure("\(count) bytes came") }
        print(System.now() - began, System.cpuSeconds(), System.peakBytes() ?? 0)
    }

    static func compare(rounds: Int) throws {
        let server = try FileServer(size: 0)
        defer { server.end() }
        let folder = server.folder.appendingPathComponent("files/coded").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text().write(to: URL(fileURLWithPath: folder + "/plain"))
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let commands = [("gzip", "gzip -6 -c"), ("br", "brotli -q 5 -c"), ("zstd", "zstd -3 -q -c")]

        print("coded bodies of \(size / 1_000_000) MB, medians of \(rounds) rounds")
        print(
            "| coding | on the wire MB | NetworkClient MB/s | CPU ms | peak memory MB | curl MB/s | CPU ms | ratio of MB/s |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for (coding, command) in commands {
            let file = "\(folder)/\(coding)"
            _ = try Program("/bin/sh", ["-c", "\(command) <\(folder)/plain >\(file) && echo 0"]).numbers()
            let wire = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
            let address = server.address.replacingOccurrences(of: "/large", with: "/coded/\(coding)")
            var ours: [[Double]] = []
            var theirs: [[Double]] = []
            for _ in 0..<rounds {
                ours.append(try Program(program, ["read", address]).numbers())
                let cpu = System.cpuSecondsOfChildren()
                let command = ["curl", "-s", "--compressed", "-o", "/dev/null", "-w", "%{time_total}", address]
                let seconds = try Program("/usr/bin/env", command).numbers()[0]
                theirs.append([seconds, System.cpuSecondsOfChildren() - cpu])
            }
            let ratios = zip(theirs, ours).map { $0[0] / $1[0] }
            func speed(_ rounds: [[Double]]) -> String {
                "\(Int(Double(size) / 1e6 / DownloadComparison.median(rounds.map { $0[0] })))"
            }
            func milliseconds(_ rounds: [[Double]]) -> String {
                "\(Int(DownloadComparison.median(rounds.map { $0[1] }) * 1000))"
            }
            let cells = [
                coding, String(format: "%.1f", Double(wire) / 1e6), speed(ours), milliseconds(ours),
                "\(Int((ours.map { $0[2] }.max() ?? 0) / 1e6))", speed(theirs), milliseconds(theirs),
                String(
                    format: "%.2f (%.2f-%.2f)", DownloadComparison.median(ratios), ratios.min() ?? 0, ratios.max() ?? 0),
            ]
            print("| \(cells.joined(separator: " | ")) |")
        }
    }

    /// Lines of JSON, about as repetitive as those of a service.
    private static func text() -> Data {
        var data = Data(capacity: size + 256)
        var state: UInt64 = 16
        while data.count < size {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = state >> 33
            data.append(
                Data(
                    "{\"id\":\(number),\"name\":\"item \(number % 9_973)\",\"price\":\(number % 100_000),\"tags\":[\"a\(number % 31)\",\"b\(number % 7)\"]}\n"
                        .utf8))
        }
        return data.prefix(size)
    }
}
