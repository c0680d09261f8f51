// Every call style by URL with a body of JSON values, so that a literal can contain objects of mixed types at any depth:
// `bodyParameters: ["user": ["id": 1, "name": "Leia"]]`.
//
// `bodyParameters` has no default here, so that a call without a body has one form of each style.
extension Networking {
    /// Sends a request with a body of JSON values to a URL and returns the response with its value or its error. Never throws.
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout),
            decoder: decoder)
    }

    /// Sends a request with a body of JSON values to a URL and returns the response with its value, decoded on the caller's actor. Never throws.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout),
            decoder: decoder)
    }

    /// Sends a request with a body of JSON values to a URL and returns its value.
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout),
            decoder: decoder)
    }

    /// Sends a request with a body of JSON values to a URL and returns its value, decoded on the caller's actor.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout),
            decoder: decoder)
    }

    /// Sends a request with a body of JSON values to a URL and ignores the body. Never throws.
    @_disfavoredOverload
    public func request(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil
    ) async -> NetworkResponse<Void> {
        await request(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout))
    }

    /// Sends a request with a body of JSON values to a URL and ignores the body.
    public func request(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil
    ) async throws(NetworkError) {
        try await response(
            of:
                Self.config(
                    url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                    timeout)
        ).get()
    }

    /// Sends a request with a body of JSON values to a URL and calls back on the main actor.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout),
            decoder: decoder, completion: completion)
    }

    /// Sends a request with a body of JSON values to a URL and calls back on the main actor with its value decoded there.
    @MainActor
    @discardableResult
    public func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout),
            decoder: decoder, completion: completion)
    }

    /// Sends a request with a body of JSON values to a URL and calls back on a queue.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil,
        queue: DispatchQueue,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout),
            decoder: decoder, queue: queue, completion: completion)
    }

    /// Returns a request with a body of JSON values to a URL, to attach handlers to. It is sent when the first is attached.
    public func request(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue], headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil
    ) -> RequestChain {
        chain(
            Self.config(
                url, method, queryParameters, bodyParameters, nil, .clientEncoder, headers, retryCount, cachePolicy,
                timeout))
    }
}
