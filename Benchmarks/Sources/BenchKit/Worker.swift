import Foundation

/// A client under test. Each sends a plain GET, reads the whole response, and says how long its body was.
package protocol BenchmarkedClient: Sendable {
    /// Throws unless the status is 200.
    func get() async throws -> Int
    func download(to output: String) async throws
    func shutdown() async throws
}

/// Does the work of one contender, in a process of its own, so that processor time and memory are the contender's.
package struct Worker {
    private let order: WorkOrder

    /// The whole of a worker program: takes the order from its argument, and prints what it measured.
    package static func run(makeClient: @Sendable (WorkOrder) throws -> any BenchmarkedClient) async {
        do {
            let order = try JSONDecoder().decode(WorkOrder.self, from: Data((CommandLine.arguments.last ?? "").utf8))
            // A client that loses a response would wait for ever; the signal ends this process.
            alarm(order.timeLimit)
            let measurement = try await Worker(order: order).measure(try makeClient(order))
            print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private func measure(_ client: any BenchmarkedClient) async throws -> Score {
        let measurement = try await order.output == nil ? measureRequests(client) : measureDownload(client)
        try await client.shutdown()
        return measurement
    }

    private func measureRequests(_ client: any BenchmarkedClient) async throws -> Score {
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

    private func measureDownload(_ client: any BenchmarkedClient) async throws -> Score {
        let began = System.now()
        let cpuBegan = System.cpuSeconds()
        try await client.download(to: order.output ?? "")
        return measurement(requests: 1, began: began, cpuBegan: cpuBegan)
    }

    private func measurement(requests: Int, began: Double, cpuBegan: Double) -> Score {
        Score(
            requests: requests,
            seconds: System.now() - began,
            cpuSeconds: System.cpuSeconds() - cpuBegan,
            peakBytes: System.peakBytes() ?? 0)
    }
}

/// A new file, open for writing until it is released.
package final class OutputFile {
    package let descriptor: Int32

    package init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }
}
