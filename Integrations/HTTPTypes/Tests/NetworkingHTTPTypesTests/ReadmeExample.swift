import HTTPTypes
import NetClient
import NetworkingHTTPTypes

let client = NetworkClient()

func ping(_ url: URL) async throws -> Bool {
    var request = HTTPRequest(method: .get, url: url)
    request.headerFields[.accept] = "application/json"
    let (response, body) = try await client.send(request)
    print(try await body.collect(upTo: 1 << 20))
    return response.status == .ok
}
