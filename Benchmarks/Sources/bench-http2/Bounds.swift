import BenchKit
import Foundation
import NetClient

/// Measures what streams that nobody reads cost: memory while they wait and after they were given up, and the time of small requests
/// beside them. The server is another process, so that the memory is the client's alone.
@main
enum Bounds {
    private static let streams = 30
    private static let cancelled = 20

    static func main() async {
        do {
            let arguments = CommandLine.arguments
            if arguments.dropFirst() == ["floods"] { return try await Floods.run() }
            guard arguments.count == 4, let large = URL(string: arguments[1]), let small = URL(string: arguments[2])
            else {
                throw Failure("usage: bench-http2 floods | LARGE-URL SMALL-URL AUTHORITY")
            }
            try await run(large, small, authority: arguments[3])
        } catch {
            print("bench-http2: \(error)")
            exit(1)
        }
    }

    private static func run(_ large: URL, _ small: URL, authority: String) async throws {
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: authority))
        let client = NetworkClient(retryPolicy: .none, transport: .platform(configuration))
        for _ in 0..<500 { _ = try await client.data(for: URLRequest(url: small)) }
        let start = try resident()

        var responses: [TransportResponse] = []
        for _ in 0..<streams { responses.append(try await open(large, client)) }
        try await Task.sleep(nanoseconds: 1_000_000_000)
        let unread = try resident() - start
        var slowest = 0.0
        for _ in 0..<200 {
            let began = System.now()
            _ = try await client.data(for: URLRequest(url: small))
            slowest = max(slowest, System.now() - began)
        }
        responses = []
        try await Task.sleep(nanoseconds: 300_000_000)

        var rounds: [Double] = []
        var before = try resident()
        for _ in 0..<3 {
            for _ in 0..<cancelled { responses.append(try await open(large, client)) }
            try await Task.sleep(nanoseconds: 500_000_000)
            responses = []
            try await Task.sleep(nanoseconds: 300_000_000)
            let now = try resident()
            rounds.append(now - before)
            before = now
        }
        let version = try await client.send(URLRequest(url: small)).version
        await client.shutdown()
        print(
            "| version | \(streams) unread streams MB | slowest of 200 small GETs beside them ms | 3 rounds of \(cancelled) cancelled MB |"
        )
        print("| --- | --- | --- | --- |")
        print(
            String(format: "| %@ | %.1f | %.1f | ", "\(version)", unread, slowest * 1000)
                + rounds.map { String(format: "%.1f", $0) }.joined(separator: ", ") + " |")
    }

    private static func open(_ url: URL, _ client: NetworkClient) async throws -> TransportResponse {
        var context = RequestContext()
        context.delivery = .streamed
        let response = try await client.send(URLRequest(url: url), body: nil, context: context)
        guard response.status == 200 else { throw Failure("status \(response.status)") }
        return response
    }

    /// MB in use now.
    static func resident() throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
            throw Failure("/proc/self/statm has no resident size")
        }
        return pages * Double(getpagesize()) / 1e6
    }
}
