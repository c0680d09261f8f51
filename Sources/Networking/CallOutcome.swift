/// What came of a call before anybody made a value of it: every call style serialises the same outcome.
struct CallOutcome: Sendable {
    let request: URLRequest?
    let result: Result<TransportResponse, NetworkFailure>

    /// The response with the value that the serialiser makes of its body, or with what went wrong.
    func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer, timestamp: Date
    ) -> NetworkResponse<Serializer.Value> {
        switch result {
        case .failure(let failure):
            return NetworkResponse(
                request: request, response: nil, data: nil, result: .failure(failure.cause), failure: failure)
        case .success(let response):
            let data = response.body.data ?? Data()
            let request = response.request ?? request
            do {
                guard (200..<300).contains(response.status) else {
                    throw NetworkFailure(response: response, data: data, timestamp: timestamp)
                }
                let value = try serializer.serialize(data, response: response)
                return NetworkResponse(request: request, head: response, data: data, result: .success(value))
            } catch {
                let failure =
                    error as? NetworkFailure
                    ?? NetworkFailure(serializing: error, response: response, data: data, timestamp: timestamp)
                return NetworkResponse(
                    request: request, head: response, data: data, result: .failure(failure.cause), failure: failure)
            }
        }
    }
}

extension Networking {
    /// Sends what a configuration describes.
    func outcome(of config: RequestConfig) async -> CallOutcome {
        let builder: RequestBuilder
        let request: URLRequest
        do {
            builder = try RequestBuilder(config, encoder: client.encoder)
            request = try builder.urlRequest()
        } catch {
            return CallOutcome(
                request: nil,
                result: .failure(NetworkFailure(wrapping: error, request: nil, timestamp: client.clock.now)))
        }
        var context = RequestContext(clock: client.clock)
        context.partition = partition()
        context.cachePolicy = config.cachePolicy
        context[RetryCountKey.self] = config.retryCount
        do {
            let response = try await client.response(for: request, body: builder.body, context: context)
            return CallOutcome(request: request, result: .success(response))
        } catch {
            return CallOutcome(request: request, result: .failure(error))
        }
    }

    /// Sends what a configuration describes and serialises the answer.
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
