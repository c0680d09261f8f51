// Every call style by URL, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
//
// `some Sequence` leaves literals to `HTTPHeaders`, where a dictionary would be preferred. The throwing form without a value takes a
// `Collection`, which makes it more special than the one that gives a `NetworkResponse<Void>`.
extension Networking {
    /// Sends a request to a URL and gives the response with its value or its error. Never throws.
    @_disfavoredOverload
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy, decoder: decoder)
    }

    /// Sends a request to a URL and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    @_disfavoredOverload
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy, decoder: decoder)
    }

    /// Sends a request to a URL and gives its value.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy, decoder: decoder)
    }

    /// Sends a request to a URL and gives its value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    @_disfavoredOverload
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy, decoder: decoder)
    }

    /// Sends a request to a URL of which only the success matters. Never throws.
    @_disfavoredOverload
    public func request(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil
    ) async -> NetworkResponse<Void> {
        await request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy)
    }

    /// Sends a request to a URL of which only the success matters.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func request(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: some Collection<(key: String, value: String)>, retryCount: Int = 0, cachePolicy: CachePolicy? = nil
    ) async throws(NetworkError) {
        try await request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy)
    }

    /// Sends a request to a URL, and calls back on the main actor.
    @discardableResult
    @_disfavoredOverload
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy, decoder: decoder,
            completion: completion)
    }

    /// Sends a request to a URL, and calls back on the main actor with its value decoded there.
    @MainActor
    @discardableResult
    @_disfavoredOverload
    public func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy, decoder: decoder,
            completion: completion)
    }

    /// Sends a request to a URL, and calls back on a queue.
    @discardableResult
    @_disfavoredOverload
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, decoder: (any BodyDecoder)? = nil, queue: DispatchQueue,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy, decoder: decoder,
            queue: queue, completion: completion)
    }

    /// A request to a URL to attach handlers to. It is sent when the first is attached.
    @_disfavoredOverload
    public func request(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil
    ) -> RequestChain {
        request(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), retryCount: retryCount, cachePolicy: cachePolicy)
    }
}
