extension Networking {
    /// What a configuration describes, as the client takes it.
    func prepared(
        _ config: RequestConfig
    ) throws(NetworkFailure) -> (request: URLRequest, body: HTTPBody?, context: RequestContext) {
        var context = RequestContext(clock: client.clock)
        context.partition = partition()
        context.cachePolicy = config.cachePolicy
        context[RetryCountKey.self] = config.retryCount
        do {
            let builder = try RequestBuilder(config, encoder: client.encoder)
            return (try builder.urlRequest(), builder.body, context)
        } catch {
            throw NetworkFailure(wrapping: error, request: nil, timestamp: client.clock.now)
        }
    }

    /// Sends what a configuration describes.
    #if compiler(>=6.2)
        @concurrent
    #endif
    func outcome(of config: RequestConfig) async -> CallOutcome {
        var request: URLRequest?
        do {
            let call = try prepared(config)
            request = call.request
            let response = try await client.response(for: call.request, body: call.body, context: call.context)
            return CallOutcome(request: request, result: .success(response))
        } catch {
            return CallOutcome(request: request, result: .failure(error))
        }
    }

    /// Sends what a configuration describes and serialises the answer.
    #if compiler(>=6.2)
        @concurrent
    #endif
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
