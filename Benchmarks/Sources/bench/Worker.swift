import CBaseline
import Foundation

/// A client under test. Each sends a plain GET, reads the whole response, and says how long its body was.
protocol BenchmarkedClient: Sendable {
    /// Throws unless the status is 200.
    func get() async throws -> Int
    func download(to output: String) async throws
    func shutdown() async throws
}

/// Does the work of one contender, in a process of its own.
struct Worker {
    let order: WorkOrder

    func measure() async throws -> Measurement {
        if order.contender == .c { return try measureC() }
        let client = try makeClient()
        let measurement = try await order.output == nil ? measureRequests(client) : measureDownload(client)
        try await client.shutdown()
        return measurement
    }

    private func makeClient() throws -> any BenchmarkedClient {
        switch order.contender {
        case .sdk: try SDKClient(order: order)
        case .asyncHTTPClient: try PeerClient(order: order)
        case .urlSession: try FoundationClient(order: order)
        case .c, .curl: throw Failure("\(order.contender.title) is not a Swift client")
        }
    }

    private func measureRequests(_ client: any BenchmarkedClient) async throws -> Measurement {
        _ = try await run(client, until: System.now() + order.warmUp)
        let began = System.now()
        let cpuBegan = System.cpuSeconds()
        let requests = try await run(client, until: began + order.seconds)
        return measurement(requests: requests, began: began, cpuBegan: cpuBegan)
    }

    /// Each task sends its next request when it has the answer to the last one.
    private func run(_ client: any BenchmarkedClient, until deadline: Double) async throws -> Int {
        let expected = order.expectedLength
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<order.tasks {
                group.addTask {
                    var requests = 0
                    repeat {
                        let length = try await client.get()
                        guard length == expected else { throw Failure("a body of \(length) bytes, not \(expected)") }
                        requests += 1
                    } while System.now() < deadline
                    return requests
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private func measureDownload(_ client: any BenchmarkedClient) async throws -> Measurement {
        let began = System.now()
        let cpuBegan = System.cpuSeconds()
        try await client.download(to: order.output ?? "")
        return measurement(requests: 1, began: began, cpuBegan: cpuBegan)
    }

    private func measurement(requests: Int, began: Double, cpuBegan: Double) -> Measurement {
        Measurement(
            requests: requests,
            seconds: System.now() - began,
            cpuSeconds: System.cpuSeconds() - cpuBegan,
            peakBytes: System.peakBytes() ?? 0)
    }

    private func measureC() throws -> Measurement {
        var result = cbaseline_result()
        let status: Int32
        if let output = order.output {
            let file = try OutputFile(path: output)
            status = cbaseline_download(
                order.url.absoluteString, order.authority, Int64(order.expectedLength), file.descriptor, &result)
        } else {
            status = cbaseline_requests(
                order.url.absoluteString, order.authority, Int64(order.expectedLength), Int32(order.tasks),
                order.warmUp, order.seconds, &result)
        }
        guard status == 0 else {
            throw Failure(withUnsafeBytes(of: result.error) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return Measurement(
            requests: Int(result.requests),
            seconds: result.seconds,
            cpuSeconds: result.cpu_seconds,
            peakBytes: System.peakBytes() ?? 0)
    }
}

/// A new file, open for writing until it is released.
final class OutputFile {
    let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }
}
