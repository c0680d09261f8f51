import BenchKit
import NetCache
import NetClient

/// This SDK: a `NetworkClient` with its whole pipeline, and its defaults but for the number of connections and the authority.
struct SDKClient: BenchmarkedClient {
    private let client: NetworkClient
    private let request: URLRequest
    private let body: HTTPBody?

    init(order: WorkOrder) throws {
        var configuration = TransportConfiguration()
        configuration.limits.connectionsPerHost = max(configuration.limits.connectionsPerHost, order.tasks)
        configuration.limits.concurrentExchanges = max(configuration.limits.concurrentExchanges, order.tasks)
        configuration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: order.authority))
        client = NetworkClient(
            cache: order.isCached ? ResponseCache() : nil, transport: .platform(configuration))
        var request = URLRequest(url: order.url)
        if order.upload > 0 { request.httpMethod = "POST" }
        self.request = request
        body = order.upload > 0 ? HTTPBody(Data(count: order.upload)) : nil
    }

    func exchange() async throws -> Int {
        let (data, response) = try await client.data(for: request, body: body)
        guard response.status == 200 else { throw Failure("status \(response.status)") }
        return data.count
    }

    func exchangeTimingHead() async throws -> Double {
        let response = try await client.send(request)
        let time = System.now()
        guard response.status == 200 else { throw Failure("status \(response.status)") }
        _ = try await response.body.collect(upTo: 64 << 20)
        return time
    }

    func download(to output: String) async throws {
        let file = try OutputFile(path: output)
        let response = try await client.send(request)
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
    static func main() {
        Worker.run { try SDKClient(order: $0) }
    }
}
