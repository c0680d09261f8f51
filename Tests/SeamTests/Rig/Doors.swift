import Networking

/// What came of a call.
struct DoorAnswer: Sendable {
    let body: SeamAnswer
    /// Where the door tells it.
    var trace: RetryTrace?
}

struct DoorRig: Sendable {
    let door: SeamCase.Door
    let networking: Networking
    var client: NetworkClient { networking.client }
    /// Whether the call asks for the cache by a ``CachePolicy``.
    let asksForCache: Bool
    /// The settings of each call in place of its client's.
    var options = RequestOptions()

    struct Call: Sendable {
        let url: URL
        var headers: [String: String] = [:]
        var provider: (any AuthenticationProvider)?
    }

    func send(_ call: Call) async throws -> DoorAnswer {
        switch door {
        case .facadeValue: return DoorAnswer(body: try await networking.request(config(call)) as SeamAnswer)
        case .facadeResponse, .facadeOnClient: return try answer(await networking.request(config(call)))
        case .facadeCompletion:
            return try answer(
                await withCheckedContinuation { continuation in
                    networking.request(config(call), queue: Self.queue) { continuation.resume(returning: $0) }
                })
        case .facadeChain:
            return try answer(
                await withCheckedContinuation { continuation in
                    networking.chain(config(call)).responseDecodable(of: SeamAnswer.self, queue: Self.queue) {
                        continuation.resume(returning: $0)
                    }
                })
        case .facadeStream: return try await collected(networking.stream(config(call)).response)
        case .clientEndpoint: return DoorAnswer(body: try await client.request(SeamEndpoint(call, options)))
        case .clientSend:
            return DoorAnswer(body: try await client.send(request(call), cached: asksForCache ? true : nil))
        case .clientExecute: return DoorAnswer(body: try await client.execute(urlRequest(call)))
        case .clientData, .derivedClient:
            var context = RequestContext()
            if asksForCache { context.cachePolicy = Self.policy }
            context.options = options
            let (data, response) = try await client.data(for: urlRequest(call), context: context)
            return DoorAnswer(body: try JSONDecoder().decode(SeamAnswer.self, from: data), trace: response.retryTrace)
        case .builderSend: return try answer(await builder(call).response())
        case .builderStream: return try await collected(try await builder(call).stream())
        case .apiClient:
            let api = SeamAPI(baseURL: call.url.deletingLastPathComponent(), client: client)
            return DoorAnswer(body: try await api.request(.get, path: call.url.lastPathComponent))
        }
    }

    private static let queue = DispatchQueue(label: "seams", attributes: .concurrent)
    private static let policy = CachePolicy(useCache: true, storeCache: true)

    private func answer(_ response: NetworkResponse<SeamAnswer>) throws -> DoorAnswer {
        DoorAnswer(body: try response.get(), trace: response.retryTrace)
    }

    private func collected(_ response: TransportResponse) async throws -> DoorAnswer {
        let data = try await response.body.collect(upTo: 1 << 20)
        return DoorAnswer(body: try JSONDecoder().decode(SeamAnswer.self, from: data), trace: response.retryTrace)
    }

    private func config(_ call: Call) -> RequestConfig {
        var config = RequestConfig(
            url: call.url, headers: HTTPHeaders(call.headers), cachePolicy: asksForCache ? Self.policy : nil)
        config.options = options
        return config
    }

    private func urlRequest(_ call: Call) -> URLRequest {
        var request = URLRequest(url: call.url)
        for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func request(_ call: Call) -> Request<SeamAnswer> {
        var request = Request<SeamAnswer>(method: .get, path: call.url.path, headers: HTTPHeaders(call.headers))
        request.options = options
        return call.provider.map { request.authenticated(by: $0) } ?? request
    }

    private func builder(_ call: Call) -> CallBuilder<SeamAnswer> {
        // By the endpoint or by the call.
        var builder = client.builder(for: SeamEndpoint(call, call.headers.isEmpty ? options : RequestOptions()))
        if !call.headers.isEmpty { builder = builder.options { [options] in $0 = options } }
        if asksForCache { builder = builder.cachePolicy(Self.policy) }
        return call.provider.map { builder.authenticated(by: $0) } ?? builder
    }
}

private struct SeamEndpoint: Endpoint {
    typealias Response = SeamAnswer
    let path: String
    let headers: [String: String]
    let options: RequestOptions
    init(_ call: DoorRig.Call, _ options: RequestOptions) {
        self.options = options
        path = call.url.path
        headers = call.headers
    }
}

private struct SeamAPI: APIClient { let baseURL: URL, client: NetworkClient }
