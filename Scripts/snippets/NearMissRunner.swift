// Says of each near miss that compiles whether it has an effect, for Scripts/check-near-misses, which writes `nearMisses`.
import Networking

let home = URL(string: "https://api.example.com")!

struct Recorder: HTTPTransport {
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        let text = [
            request.httpMethod, request.url?.absoluteString, request.allHTTPHeaderFields?["X-Value"],
            String(request.timeoutInterval), body?.data.map { String(decoding: $0, as: UTF8.self) },
        ]
        return TransportResponse(status: 200, url: request.url, body: HTTPBody(text.compactMap(\.self).joined(separator: " ")))
    }
}

struct Plain: NetworkEnvironment { let baseURL = home }
struct Bare: Endpoint { let path = "/x" }

func sent(_ endpoint: some Endpoint, _ environment: any NetworkEnvironment = Plain()) async throws -> String {
    let client = NetworkClient(environment: environment, transport: Recorder())
    return String(decoding: try await client.builder(for: endpoint).stream().body.collect(upTo: 10_000), as: UTF8.self)
}

let sevenKey = try! CacheIdentityKey(Data(repeating: 7, count: 32))
let seven = [ConnectionStatistics(origin: "https://7.example.com")]

struct SevenEnvironment: NetworkEnvironment { let baseURL = home, timeout = 7.0 }
struct SevenEncoder: BodyEncoder {
    let contentType = "text/7"
    func encode<Value: Encodable>(_ value: Value) throws -> Data { Data() }
}

struct SevenDecoder: BodyDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw CancellationError() }
}

/// The members of a plugin that have a default, as the SDK calls them.
func members(of miss: any Sendable) async throws -> [Any?] {
    switch miss {
    case let transport as any HTTPTransport: [transport.missingCapabilities, transport.connectionStatistics()]
    case let sender as any HTTPSending:
        [sender.environment?.timeout, sender.encoder.contentType, sender.ownerName(for: URLRequest(url: home))]
    case let store as any HTTPCacheStore: [try await store.generation(of: ""), try store.identityKey() == sevenKey ? 7 : nil]
    case let bodies as any ResponseCaching: [try bodies.identityKey() == sevenKey ? 7 : nil]
    case let operations as any PendingOperationsQueue.Storage: [try await operations.prepareToSend().map { _ in 7 }]
    case let uploader as any UploaderProtocol: [uploader.decoder is SevenDecoder ? 7 : nil]
    default: []
    }
}

@main struct Runner {
    static func main() async throws {
        for miss in nearMisses {
            let effect: String
            switch miss {
            case let endpoint as any LongPollingEndpoint: effect = "\(endpoint.pollingTimeout) \(endpoint.retryInterval)"
            case let endpoint as any Endpoint: effect = try await sent(endpoint)
            case let environment as any NetworkEnvironment: effect = try await sent(Bare(), environment)
            case let provider as any AuthenticationProvider: effect = provider.partition ?? ""
            case let provider as any TokenProvider: effect = await provider.currentToken() ?? ""
            default: effect = "\(try await members(of: miss))"
            }
            print(effect.contains("7") ? "works" : "SILENT", type(of: miss), effect)
        }
    }
}
