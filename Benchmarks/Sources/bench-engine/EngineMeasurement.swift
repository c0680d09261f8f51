import BenchKit
import Foundation
import NetClient
import NetTesting

/// Measures what idle connections cost, in memory and in processor time of the loop beside them, and how several loops share requests.
///
/// Each figure comes from a process of its own, and the server is another one.
@main
enum EngineMeasurement {
    private static let requests = 20_000

    static func main() async {
        do {
            raiseDescriptorLimit()
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch arguments.first {
            case nil: try all()
            case "serve": try await HoldingServer.serve()
            case "memory" where arguments.count == 4:
                try await memory(of: arguments[1], authority: arguments[2], connections: arguments[3])
            case "beside" where arguments.count == 4:
                try await loopTime(at: arguments[2], beside: arguments[3], to: arguments[1])
            case "flight" where arguments.count == 3: try await flight(at: arguments[1], calls: arguments[2])
            case "loops" where arguments.count == 2: try await loops(at: arguments[1])
            default: throw Failure("usage: bench-engine")
            }
        } catch {
            print("bench-engine: \(error)")
            exit(1)
        }
    }

    private static func all() throws {
        let server = try HoldingServer.start()
        defer { server.end() }
        for url in [server.plain, server.tls] { try Child.run(["memory", url, server.authority, "1000"]) }
        for _ in 0..<3 {
            for count in ["64", "4000"] { try Child.run(["beside", server.plain, server.other, count]) }
        }
        try Child.run(["loops", server.plain])
        try Child.run(["flight", server.plain, "10000"])
        for _ in 0..<3 { for client in ["bench-sdk", "bench-async-http-client"] { try service(client, at: server) } }
    }

    private static func raiseDescriptorLimit() {
        var limit = rlimit(rlim_cur: 20_000, rlim_max: 20_000)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    // MARK: One figure

    private static func memory(of url: String, authority: String, connections: String) async throws {
        let count = Int(connections) ?? 0
        let client = try Client(url, connections: count, authority: authority)
        try await client.open(10)
        let before = heldBytes()
        try await client.open(count)
        try await Task.sleep(for: .seconds(1))
        let bytes = heldBytes() - before
        let name = url.hasPrefix("https") ? "over TLS" : "plain"
        print("an idle connection, \(name): \(String(format: "%.1f", Double(bytes) / Double(count - 10) / 1000)) KB")
    }

    /// The resident memory, without what malloc keeps for later: that is what the requests took that opened the connections.
    private static func heldBytes() -> Int {
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0) }
        return System.residentBytes()
    }

    private static func loopTime(at url: String, beside connections: String, to idleURL: String) async throws {
        let count = Int(connections) ?? 0
        let client = try Client(url, connections: count)
        try await client.open(count, at: idleURL)
        try await client.fetch(2_000, tasks: 16)
        let before = LoopThreads.seconds()
        try await client.fetch(requests, tasks: 16)
        let time = zip(LoopThreads.seconds(), before).map { $0 - $1 }.reduce(0, +) / Double(requests)
        let text = String(format: "%.2f", time * 1e6)
        print("loop time of a request beside \(count) idle connections: \(text) µs")
    }

    private static func flight(at url: String, calls: String) async throws {
        let count = Int(calls) ?? 0
        let client = try Client(url, connections: count)
        try await client.openByCalls(10)
        let before = System.residentBytes()
        try await client.openByCalls(count)
        let (bytes, all) = (System.peakBytes() ?? 0, System.residentBytes())
        print(
            "\(count) calls in flight, each over its connection: \(bytes / 1_000_000) MB at the peak, \(all / 1_000_000) MB after, "
                + "\(before / 1_000_000) MB before")
    }

    /// The calls of a service with 2,000 inbound requests, two for each, by another program.
    private static func service(_ client: String, at server: HoldingServer) throws {
        guard let url = URL(string: server.plain)?.appendingPathComponent("hold4000") else { return }
        var order = WorkOrder(url: url, authority: server.authority, expectedLength: 0)
        order.tasks = 4_000
        order.requests = 4_000
        let score = try Child.score(of: client, order)
        print("\(order.tasks) calls in flight by \(client): \(score.peakBytes / 1_000_000) MB at the peak")
    }

    private static func loops(at url: String) async throws {
        try CurlTransport.setLoopCount(2)
        let client = try Client(url, connections: 2_000)
        try await client.open(2_000)
        let before = LoopThreads.seconds()
        try await client.fetch(40_000, tasks: 2_000)
        let times = zip(LoopThreads.seconds(), before).map { $0 - $1 }
        let share = String(format: "%.0f", (times.max() ?? 0) / times.reduce(0, +) * 100)
        print("two loops, 2,000 requests in flight: \(share) % of the time is the busier loop's")
    }
}

/// The processor time of the threads that serve connections.
enum LoopThreads {
    /// In seconds, in the order of the threads.
    static func seconds() -> [Double] {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.sorted().filter { text("\(folder)/\($0)/comm").hasPrefix("net.loop") }.map { thread in
            (text("\(folder)/\(thread)/schedstat").split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
        }
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}

/// Sends requests to one server.
struct Client {
    private let transport: CurlTransport
    private let url: URL
    private let context: RequestContext

    init(_ url: String, connections: Int, authority: String? = nil) throws {
        guard let parsed = URL(string: url) else { throw Failure("\(url) is not a URL") }
        self.url = parsed
        var configuration = TransportConfiguration()
        configuration.limits.connectionsPerHost = connections
        configuration.limits.idleConnections = connections
        configuration.limits.concurrentExchanges = connections * 2
        configuration.timeouts.connect = 120
        if let authority { configuration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: authority)) }
        transport = CurlTransport(configuration: configuration)
        var context = RequestContext()
        context.delivery = .collected(limit: 1 << 20)
        self.context = context
    }

    /// The same by a client's calls, with a deadline.
    func openByCalls(_ count: Int) async throws {
        let client = NetworkClient(transport: transport, resilience: Resilience(totalTimeout: 600))
        let request = URLRequest(url: url.appendingPathComponent("hold\(count)"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { _ = try await client.data(for: request) } }
            try await group.waitForAll()
        }
    }

    private func fetch(_ path: String, at other: URL? = nil) async throws {
        let response = try await transport.send(
            URLRequest(url: (other ?? url).appendingPathComponent(path)), body: nil, context: context)
        guard response.status == 200 else { throw Failure("status \(response.status)") }
    }

    /// Opens so many connections, perhaps to another server: it answers none of the requests before it has all of them.
    func open(_ count: Int, at url: String? = nil) async throws {
        let url = url.flatMap { URL(string: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await fetch("hold\(count)", at: url) } }
            try await group.waitForAll()
        }
    }

    func fetch(_ requests: Int, tasks: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask { for _ in 0..<(requests / tasks) { try await fetch("small") } }
            }
            try await group.waitForAll()
        }
    }
}
