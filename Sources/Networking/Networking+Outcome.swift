extension Networking {
    /// What a configuration says beside its request.
    private func options(of config: RequestConfig) -> CallOptions {
        var options = CallOptions()
        options.cachePolicy = config.cachePolicy
        options.retryCount = config.retryCount
        return options
    }

    /// The request that a configuration describes, as the client takes it.
    func prepared(_ config: RequestConfig) throws(NetworkFailure) -> PreparedCall {
        try client.prepared(options(of: config)) { try client.lower(config) }
    }

    /// Sends what a configuration describes.
    func outcome(of config: RequestConfig) async -> CallOutcome {
        await client.outcome(options(of: config)) { [client] in try client.lower(config) }
    }

    /// Sends what a configuration describes and serialises the answer.
    @concurrent
    func response<Serializer: ResponseSerializer>(
        of config: RequestConfig, serializer: Serializer
    ) async -> NetworkResponse<Serializer.Value> {
        await outcome(of: config).serialized(by: serializer, timestamp: client.clock.now)
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
