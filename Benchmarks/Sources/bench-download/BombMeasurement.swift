import BenchKit
import Foundation
import NetTransfer

/// Measures what a client does beside a body of 10 MB that unfolds to 10 GB: how long 2-byte GETs take meanwhile, how late a timeout of 1 s
/// fires, and how much memory all of it takes.
enum BombMeasurement {
    private static let pieces = 625
    private static let pieceSize = 16 << 20

    static func run() async throws {
        let server = try FileServer(size: 2)
        defer { server.end() }
        let folder = server.folder.appendingPathComponent("files/coded").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Members of gzip, one after the other: together they are one body (RFC 1952, section 2.2).
        _ = try Program(
            "/bin/sh",
            [
                "-c",
                "cd \(folder) && head -c \(pieceSize) /dev/zero | gzip -9 >one && for i in $(seq \(pieces)); do cat one; done >gzip && echo 0",
            ]
        ).numbers()
        let wire = try FileManager.default.attributesOfItem(atPath: folder + "/gzip")[.size] as? Int ?? 0
        guard let bomb = URL(string: server.address.replacingOccurrences(of: "/large", with: "/coded/gzip")),
            let small = URL(string: server.address), let silent = URL(string: try silentAddress())
        else { throw Failure(server.address) }

        var configuration = TransportConfiguration()
        configuration.limits.decodedBodyBytes = 20 << 30
        let client = NetworkClient(retryPolicy: .none, transport: .platform(configuration))
        let reader = Task {
            var context = RequestContext()
            context.delivery = .streamed
            let began = System.now()
            var count = 0
            for try await chunk in try await client.send(URLRequest(url: bomb), body: nil, context: context).body {
                count += chunk.count
            }
            return (count, System.now() - began)
        }
        let isDone = Task { _ = try? await reader.value }
        let gets = Task { try await slowest(small, client, until: isDone) }
        let timeouts = Task { try await latestTimeout(silent, client, until: isDone) }
        let (count, seconds) = try await reader.value
        let (longest, number) = try await gets.value
        let latest = try await timeouts.value
        print(
            "| on the wire MB | unfolded GB | seconds | slowest of n 2-byte GETs ms | 1 s timeout fires after s | peak memory MB |"
        )
        print("| --- | --- | --- | --- | --- | --- |")
        print(
            String(
                format: "| %.1f | %.1f | %.1f | %.1f of %d | %.2f | %d |", Double(wire) / 1e6, Double(count) / 1e9,
                seconds,
                longest * 1000, number, latest, (System.peakBytes() ?? 0) / 1_000_000))
    }

    private static func slowest(
        _ url: URL, _ client: NetworkClient, until end: Task<Void, Never>
    ) async throws -> (Double, Int) {
        let hasEnded = Flag(end)
        var (slowest, number) = (0.0, 0)
        while !hasEnded.isSet {
            let began = System.now()
            _ = try await client.send(URLRequest(url: url), body: nil, context: RequestContext()).body.collect(upTo: 2)
            slowest = max(slowest, System.now() - began)
            number += 1
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        return (slowest, number)
    }

    private static func latestTimeout(
        _ url: URL, _ client: NetworkClient, until end: Task<Void, Never>
    ) async throws -> Double {
        let hasEnded = Flag(end)
        var latest = 0.0
        while !hasEnded.isSet {
            var request = URLRequest(url: url)
            request.timeoutInterval = 1
            let began = System.now()
            _ = try? await client.send(request, body: nil, context: RequestContext())
            latest = max(latest, System.now() - began)
        }
        return latest
    }

    /// Of a server that takes connections and says nothing.
    private static func silentAddress() throws -> String {
        let port = try FreePort.find()
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0, listen(descriptor, 128) == 0 else { throw Failure("no port for the silent server") }
        return "http://127.0.0.1:\(port)/"
    }
}

/// Set when a task has ended.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    init(_ task: Task<Void, Never>) {
        Task {
            await task.value
            lock.withLock { value = true }
        }
    }

    var isSet: Bool { lock.withLock { value } }
}
