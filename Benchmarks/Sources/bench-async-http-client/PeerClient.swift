import AsyncHTTPClient
import BenchKit
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// AsyncHTTPClient, with its defaults but for the number of connections and the authority.
struct PeerClient: BenchmarkedClient {
    private let client: HTTPClient
    private let url: String

    init(order: WorkOrder) throws {
        var configuration = HTTPClient.Configuration()
        let limit = configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(limit, order.tasks)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(order.authority)
        configuration.tlsConfiguration = tls
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        url = order.url.absoluteString
    }

    func get() async throws -> Int {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        guard response.status == .ok else { throw Failure("status \(response.status)") }
        return try await response.body.collect(upTo: 64 << 20).readableBytes
    }

    func download(to output: String) async throws {
        let file = try OutputFile(path: output)
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        guard response.status == .ok else { throw Failure("status \(response.status)") }
        for try await chunk in response.body {
            try chunk.withUnsafeReadableBytes { try System.write($0, to: file.descriptor) }
        }
    }

    func shutdown() async throws {
        try await client.shutdown()
    }
}

@main
enum Program {
    static func main() async {
        await Worker.run { try PeerClient(order: $0) }
    }
}
