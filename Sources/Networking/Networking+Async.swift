// The async styles: one that gives a `NetworkResponse` and never throws, one that gives the value or throws.
extension Networking {
    /// Sends a request and gives the response with its value or its error. Never throws.
    ///
    /// `Data` and `String` come as they are received; any other type is decoded.
    ///
    /// - Parameters:
    ///   - config: the request.
    ///   - decoder: nil for the client's, which is JSON unless set.
    public func request<Value: Decodable & Sendable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await response(of: config, serializer: DecodableSerializer(Value.self, decoder: decoder ?? client.decoder))
    }

    /// Sends a request and gives its value.
    ///
    /// - Throws: what went wrong. The style that gives a ``NetworkResponse`` has the context of an error as well.
    public func request<Value: Decodable & Sendable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await request(config, decoder: decoder)
        return try response.get()
    }

    /// Sends a request and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func request<Value: Decodable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await response(of: config, decoder: decoder)
    }

    /// Sends a request and gives its value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    public nonisolated(nonsending) func request<Value: Decodable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await response(of: config, decoder: decoder)
        return try response.get()
    }

    /// Sends a request of which only the success matters. Never throws.
    @_disfavoredOverload
    public func request(_ config: RequestConfig) async -> NetworkResponse<Void> {
        await response(of: config)
    }

    /// Sends a request of which only the success matters.
    ///
    /// - Throws: what went wrong.
    public func request(_ config: RequestConfig) async throws(NetworkError) {
        try await response(of: config).get()
    }

    /// Sends a request and gives the response with what a serialiser makes of its body. Never throws.
    public func request<Serializer: ResponseSerializer>(
        _ config: RequestConfig, serializer: Serializer
    ) async -> NetworkResponse<Serializer.Value> {
        await response(of: config, serializer: serializer)
    }

    /// Sends a request to a URL and gives the response with its value or its error. Never throws.
    ///
    /// - Parameters:
    ///   - url: the URL; a query in it is kept.
    ///   - method: the method.
    ///   - queryParameters: added to the URL's query.
    ///   - bodyParameters: the body, as a JSON object unless the client has another encoder.
    ///   - headers: the headers.
    ///   - retryCount: how many times it is sent again after a failure that may pass.
    ///   - cachePolicy: what the cache may do.
    ///   - decoder: nil for the client's.
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request to a URL and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request to a URL and gives its value.
    ///
    /// - Throws: what went wrong.
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request to a URL and gives its value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request to a URL of which only the success matters. Never throws.
    @_disfavoredOverload
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) async -> NetworkResponse<Void> {
        await request(Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy))
    }

    /// Sends a request to a URL of which only the success matters.
    ///
    /// - Throws: what went wrong.
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) async throws(NetworkError) {
        let response: NetworkResponse<Void> = await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy))
        try response.get()
    }
}
