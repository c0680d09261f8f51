import BenchKit
import Foundation
import Networking

/// What a call in flight holds: many calls that wait in a transport which does not answer until all of them are there.
///
/// `bench-parts memory` measures each kind in a process of its own, since memory that was freed is not returned to the system.
enum Memory {
    static let calls = 5_000

    /// The kinds of calls, in the order of the table.
    static let kinds: [(name: String, run: @Sendable (Held) throws -> @Sendable () async throws -> Void)] = [
        ("a task that waits", { held in { await held.wait() } }),
        (
            "response(for:)",
            { held in
                let client = NetworkClient(transport: held)
                let request = try request()
                return { _ = try await client.response(for: request) }
            }
        ),
        (
            "response(for:), with a deadline",
            { held in
                let client = NetworkClient(transport: held, resilience: Resilience(totalTimeout: 600))
                let request = try request()
                return { _ = try await client.response(for: request) }
            }
        ),
        (
            "request(endpoint)",
            { held in
                let client = NetworkClient(environment: Shop(baseURL: try url()), transport: held)
                return { let _: Item = try await client.request(GetItem()) }
            }
        ),
        (
            "Networking.request(url:)",
            { held in
                let networking = Networking(client: NetworkClient(transport: held))
                let url = try url()
                return { let _: Item = try await networking.request(url: url) }
            }
        ),
        (
            "response(for:), everything switched on",
            { held in
                let client = NetworkClient(
                    retryPolicy: .default, transport: held,
                    resilience: Resilience(
                        coalescer: RequestCoalescer(), retryBudget: RetryPolicy.Budget(),
                        circuitBreaker: CircuitBreaker(),
                        concurrencyLimiter: ConcurrencyLimiter(maxConcurrentPerHost: 100_000)))
                let request = try request("POST")
                return { _ = try await client.response(for: request) }
            }
        ),
    ]

    private static func url() throws -> URL {
        guard let url = URL(string: "https://a.example/items/1") else { throw Failure("No URL.") }
        return url
    }

    private static func request(_ method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try url())
        request.httpMethod = method
        return request
    }

    /// Prints the table: one process for each kind.
    static func printTable() throws {
        print("| a call in flight | KB |")
        print("| --- | --- |")
        for index in kinds.indices {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["memory", "\(index)"]
            try process.run()
            process.waitUntilExit()
        }
    }

    /// Prints the line of one kind.
    static func measure(_ index: Int) async throws {
        let held = Held()
        let call = try kinds[index].run(held)
        async let first: Void = call()
        await held.waitForCalls(1)
        let before = System.residentBytes()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<calls { group.addTask { try await call() } }
            await held.waitForCalls(calls + 1)
            let bytes = System.residentBytes() - before
            print("| \(kinds[index].name) | \((Double(bytes) / Double(calls) / 102.4).rounded() / 10) |")
            held.answer()
            try await group.waitForAll()
        }
        try await first
    }
}

/// A transport whose calls wait until ``answer()``.
final class Held: HTTPTransport {
    private let state = NSLock()
    nonisolated(unsafe) private var waiting: [UnsafeContinuation<Void, Never>] = []

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        await wait()
        return TransportResponse(status: 200, url: request.url, body: HTTPBody("{}"))
    }

    func wait() async {
        await withUnsafeContinuation { continuation in state.withLock { waiting.append(continuation) } }
    }

    func waitForCalls(_ count: Int) async {
        while state.withLock({ waiting.count }) < count { try? await Task.sleep(nanoseconds: 1_000_000) }
    }

    func answer() {
        for continuation in state.withLock({ waiting }) { continuation.resume() }
    }
}

private struct Item: Codable {
    var id: Int?
}

private struct Shop: NetworkEnvironment {
    let baseURL: URL
}

private struct GetItem: Endpoint {
    typealias Response = Item
    var path: String { "/items/1" }
}
