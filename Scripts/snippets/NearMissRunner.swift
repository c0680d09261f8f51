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
            default: effect = ""
            }
            print(effect.contains("7") ? "works" : "SILENT", type(of: miss), effect)
        }
    }
}
