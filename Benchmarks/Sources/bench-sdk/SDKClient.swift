import BenchKit
import NetClient

/// This SDK: a `NetworkClient` with its whole pipeline, and its defaults but for the number of connections and the authority.
struct SDKClient: BenchmarkedClient {
    private let client: NetworkClient
    private let url: URL

    init(order: WorkOrder) throws {
        var configuration = TransportConfiguration()
        configuration.limits.connectionsPerHost = max(configuration.limits.connectionsPerHost, order.tasks)
        configuration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: order.authority))
        client = NetworkClient(transport: .platform(configuration))
        url = order.url
    }

    func get() async throws -> Int {
        let (data, response) = try await client.data(for: URLRequest(url: url))
        guard response.status == 200 else { throw Failure("status \(response.status)") }
        return data.count
    }

    func download(to output: String) async throws {
        let file = try OutputFile(path: output)
        let response = try await client.send(URLRequest(url: url))
        guard response.status == 200 else { throw Failure("status \(response.status)") }
        for try await chunk in response.body {
            try chunk.withUnsafeBytes { try System.write($0, to: file.descriptor) }
        }
    }

    func shutdown() async throws {
        await client.shutdown()
    }
}

@main
enum Program {
    static func main() async {
        await Worker.run { try SDKClient(order: $0) }
    }
}
