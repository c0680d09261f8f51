import Foundation

/// A client under test. It sends the request of its order: a plain GET, or a POST of ``WorkOrder/upload`` bytes.
package protocol BenchmarkedClient: Sendable {
    /// Reads the whole response and returns the length of its body. Throws unless the status is 200.
    func exchange() async throws -> Int
    /// Returns the time at which the head of the response was there, on ``System/now()``'s clock, after it has read the body.
    func exchangeTimingHead() async throws -> Double
    func download(to output: String) async throws
    func shutdown() async throws
}

/// Does the work of one contender, in a process of its own, so that processor time and memory are the contender's.
package struct Worker {
    private let order: WorkOrder
    private let makeClient: @Sendable () throws -> any BenchmarkedClient

    /// Runs a worker program: takes the order from its argument, and prints what it measured.
    ///
    /// The main thread only waits. An asynchronous `main` would end it, and valgrind 3.19 crashes when libdispatch does that.
    package static func run(makeClient: @escaping @Sendable (WorkOrder) throws -> any BenchmarkedClient) -> Never {
        Task.detached {
            do {
                let order = try JSONDecoder().decode(
                    WorkOrder.self, from: Data((CommandLine.arguments.last ?? "").utf8))
                // A client that loses a response would wait forever; the signal ends this process.
                alarm(order.timeLimit)
                let score = try await Worker(order: order) { try makeClient(order) }.measure()
                print(String(decoding: try JSONEncoder().encode(score), as: UTF8.self))
                exit(0)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(1)
            }
        }
        while true { pause() }
    }

    private init(order: WorkOrder, makeClient: @escaping @Sendable () throws -> any BenchmarkedClient) {
        self.order = order
        self.makeClient = makeClient
    }

    private func measure() async throws -> Score {
        if order.work == .clients { return try await measureFootprint() }
        let client = try makeClient()
        let score =
            switch order.work {
            case .firstByte: try await measureFirstByte(client)
            case .idle: try await measureIdle(client)
            case .download: try await measureDownload(client)
            case .requests, .clients: try await measureRequests(client)
            }
        try await client.shutdown()
        return score
    }

    private func measureRequests(_ client: any BenchmarkedClient) async throws -> Score {
        if order.requests == 0 { _ = try await run(client, until: System.now() + order.warmUp) }
        let began = System.now()
        let cpuBegan = System.cpuSeconds()
        let requests = try await run(client, until: began + order.seconds)
        return score(requests: requests, began: began, cpuBegan: cpuBegan)
    }

    /// Each task sends its next request when it has the answer to the last one.
    private func run(_ client: any BenchmarkedClient, until deadline: Double) async throws -> Int {
        let share = order.requests / order.tasks
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<order.tasks {
                group.addTask {
                    var requests = 0
                    repeat {
                        try check(try await client.exchange())
                        requests += 1
                    } while share > 0 ? requests < share : System.now() < deadline
                    return requests
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private func check(_ length: Int) throws {
        guard length == order.expectedLength else {
            throw Failure("a body of \(length) bytes, not \(order.expectedLength)")
        }
    }

    private func measureFirstByte(_ client: any BenchmarkedClient) async throws -> Score {
        _ = try await run(client, until: System.now() + order.warmUp)
        var latencies: [Double] = []
        latencies.reserveCapacity(1 << 16)
        let began = System.now()
        let cpuBegan = System.cpuSeconds()
        var start = began
        repeat {
            latencies.append(try await client.exchangeTimingHead() - start)
            start = System.now()
        } while start < began + order.seconds
        var score = score(requests: latencies.count, began: began, cpuBegan: cpuBegan)
        score.latency = Score.Latency(of: latencies)
        return score
    }

    /// Each client makes one request and keeps its connection.
    private func measureFootprint() async throws -> Score {
        let began = System.now()
        let cpuBegan = System.cpuSeconds()
        var clients: [any BenchmarkedClient] = []
        var first = 0
        for _ in 0..<order.clients {
            let client = try makeClient()
            try check(try await client.exchange())
            clients.append(client)
            if clients.count == 1 { first = System.residentBytes() }
        }
        var score = score(requests: clients.count, began: began, cpuBegan: cpuBegan)
        // NetworkClient and URLSession end threads that were idle for a while.
        try await Task.sleep(for: .milliseconds(1500))
        let bytes = System.residentBytes()
        score.footprint = Score.Footprint(
            threads: System.threads(), descriptors: System.descriptors(), bytes: bytes,
            bytesPerClient: (bytes - first) / max(1, clients.count - 1))
        for client in clients { try await client.shutdown() }
        return score
    }

    private func measureIdle(_ client: any BenchmarkedClient) async throws -> Score {
        let requests = try await run(client, until: System.now() + order.warmUp)
        try await Task.sleep(for: .milliseconds(200))
        let began = System.now()
        let cpuBegan = System.cpuSeconds()
        try await Task.sleep(for: .seconds(order.seconds))
        return score(requests: requests, began: began, cpuBegan: cpuBegan)
    }

    private func measureDownload(_ client: any BenchmarkedClient) async throws -> Score {
        let began = System.now()
        let cpuBegan = System.cpuSeconds()
        try await client.download(to: order.output)
        return score(requests: 1, began: began, cpuBegan: cpuBegan)
    }

    private func score(requests: Int, began: Double, cpuBegan: Double) -> Score {
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
