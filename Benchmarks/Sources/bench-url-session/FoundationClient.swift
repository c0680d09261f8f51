import BenchKit
import Foundation
import FoundationNetworking

/// `URLSession` of swift-corelibs-foundation, without its cache, which would answer in place of the server, unless the cache is measured.
///
/// It takes no certificate authority of ours on Linux: `Benchmarks/run` puts it where the system keeps its own, for these
/// programs only.
struct FoundationClient: BenchmarkedClient {
    private let session: URLSession
    private let request: URLRequest
    private let body: Data?

    init(order: WorkOrder) throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = max(configuration.httpMaximumConnectionsPerHost, order.tasks)
        configuration.urlCache =
            order.isCached ? URLCache(memoryCapacity: 50 << 20, diskCapacity: 0, diskPath: nil) : nil
        if !order.isCached { configuration.requestCachePolicy = .reloadIgnoringLocalCacheData }
        session = URLSession(configuration: configuration)
        var request = URLRequest(url: order.url)
        if order.upload > 0 { request.httpMethod = "POST" }
        self.request = request
        body = order.upload > 0 ? Data(count: order.upload) : nil
    }

    func exchange() async throws -> Int {
        let (data, response) =
            if let body { try await session.upload(for: request, from: body) } else {
                try await session.data(for: request)
            }
        try check(response)
        return data.count
    }

    func exchangeTimingHead() async throws -> Double {
        throw Failure("URLSession on Linux has no asynchronous call that returns at the head")
    }

    func download(to output: String) async throws {
        let (file, response) = try await session.download(for: request)
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
    static func main() {
        Worker.run { try FoundationClient(order: $0) }
    }
}
