import AsyncHTTPClient
import BenchKit
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// AsyncHTTPClient, with its defaults but for the number of connections and the authority. All clients share the event loops, as those
/// of its users do.
struct PeerClient: BenchmarkedClient {
    private let client: HTTPClient
    private let url: String
    private let body: ByteBuffer?

    init(order: WorkOrder) throws {
        var configuration = HTTPClient.Configuration()
        let limit = configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(limit, order.tasks)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(order.authority)
        configuration.tlsConfiguration = tls
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        url = order.url.absoluteString
        body = order.upload > 0 ? ByteBuffer(repeating: 0, count: order.upload) : nil
    }

    func exchange() async throws -> Int {
        let response = try await begin()
        return try await response.body.collect(upTo: 64 << 20).readableBytes
    }

    func exchangeTimingHead() async throws -> Double {
        let response = try await begin()
        let time = System.now()
        _ = try await response.body.collect(upTo: 64 << 20)
        return time
    }

    func download(to output: String) async throws {
        let file = try OutputFile(path: output)
        for try await chunk in try await begin().body {
            try chunk.withUnsafeReadableBytes { try System.write($0, to: file.descriptor) }
        }
    }

    func shutdown() async throws {
        try await client.shutdown()
    }

    private func begin() async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url)
        if let body {
            request.method = .POST
            request.body = .bytes(body)
        }
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw Failure("status \(response.status)") }
        return response
    }
}

@main
enum Program {
    static func main() {
        Worker.run { try PeerClient(order: $0) }
    }
}
