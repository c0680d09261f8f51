import BenchKit
import Foundation
import FoundationNetworking

/// `URLSession` of swift-corelibs-foundation, without its cache, which would answer in place of the server.
///
/// It takes no certificate authority of ours on Linux: `Benchmarks/run` puts it where the system keeps its own, for these
/// programs only.
struct FoundationClient: BenchmarkedClient {
    private let session: URLSession
    private let url: URL

    init(order: WorkOrder) throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = max(configuration.httpMaximumConnectionsPerHost, order.tasks)
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration)
        url = order.url
    }

    func get() async throws -> Int {
        let (data, response) = try await session.data(for: URLRequest(url: url))
        try check(response)
        return data.count
    }

    func download(to output: String) async throws {
        let (file, response) = try await session.download(from: url)
        try check(response)
        try FileManager.default.moveItem(at: file, to: URL(fileURLWithPath: output))
    }

    func shutdown() async throws {
        session.invalidateAndCancel()
    }

    private func check(_ response: URLResponse) throws {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw Failure("status \(status)") }
    }
}

@main
enum Program {
    static func main() async {
        await Worker.run { try FoundationClient(order: $0) }
    }
}
