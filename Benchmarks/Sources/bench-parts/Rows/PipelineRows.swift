import NetClient

/// What the pipeline costs a request, beyond the transport: a transport that answers at once, by itself and behind a client.
func pipelineRows() async throws -> [Row] {
    guard let url = URL(string: "https://a.example/users/1") else { return [] }
    let request = URLRequest(url: url)
    let transport = Instant()
    let bare = NetworkClient(transport: transport)
    let context = RequestContext()
    return [
        Row(name: "transport alone", operations: 20_000) { count in
            for _ in 0..<count { _ = try await transport.send(request, body: nil, context: context) }
        },
        Row(name: "pipeline, nothing switched on", operations: 20_000) { count in
            for _ in 0..<count { _ = try await bare.response(for: request) }
        },
    ]
}

/// Answers at once.
struct Instant: HTTPTransport {
    let body = HTTPBody("{}")

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        TransportResponse(status: 200, url: request.url, body: self.body)
    }
}
