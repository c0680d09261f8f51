extension Networking {
    /// What a configuration says beside its request.
    private func options(of config: RequestConfig) -> CallOptions {
        var options = CallOptions()
        options.cachePolicy = config.cachePolicy
        options.retryCount = config.retryCount
        return options
    }

    /// The request that a configuration describes, as the client takes it. Its body is encoded where this is called.
    func prepared(_ config: RequestConfig) throws(NetworkFailure) -> PreparedCall {
        try client.prepared(options(of: config)) { try client.lower(config) }
    }

    /// Sends what a configuration describes, and serialises the answer, off the caller's actor.
    func response<Serializer: ResponseSerializer>(
        of config: RequestConfig, serializer: Serializer
    ) async -> NetworkResponse<Serializer.Value> {
        await client.networkResponse(options(of: config), serializer: serializer) { try client.lower(config) }
    }

    /// Sends what a configuration describes, and decodes the answer on the caller's actor.
    nonisolated(nonsending) func response<Value: Decodable>(
        of config: RequestConfig, decoder: (any BodyDecoder)?
    ) async -> NetworkResponse<Value> {
        await outcome(of: config).decoded(by: decoder ?? client.decoder, timestamp: client.clock.now)
    }

    /// Sends what a configuration describes, of which only the success matters.
    nonisolated(nonsending) func response(of config: RequestConfig) async -> NetworkResponse<Void> {
        await outcome(of: config).serialized(by: VoidSerializer(), timestamp: client.clock.now)
    }

    private nonisolated(nonsending) func outcome(of config: RequestConfig) async -> CallOutcome {
        await client.outcome(options(of: config)) { try client.lower(config) }
    }

    /// What a URL and the parameters beside it describe.
    static func config(
        _ url: URL, _ method: HTTPMethod, _ query: [String: any Encodable & Sendable],
        _ body: [String: any Encodable & Sendable], _ headers: HTTPHeaders, _ retryCount: Int,
        _ cachePolicy: CachePolicy?
    ) -> RequestConfig {
        RequestConfig(
            url: url, method: method, queryParameters: query, bodyParameters: body, headers: headers,
            cachePolicy: cachePolicy, retryCount: retryCount)
    }
}
