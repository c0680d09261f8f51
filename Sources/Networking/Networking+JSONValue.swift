// Every call style by URL with a body of JSON values, so that a literal may hold objects of mixed types at any depth:
// `bodyParameters: ["user": ["id": 1, "name": "Leia"]]`. A flat literal takes the form with `any Encodable`, which is as good.
//
// `bodyParameters` has no default here: a call without a body then has one form of each style to choose from.
extension Networking {
    /// Sends a request with a body of JSON values to a URL, and gives the response with its value or its error. Never throws.
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request with a body of JSON values to a URL, and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request with a body of JSON values to a URL, and gives the response's value.
    ///
    /// - Throws: what went wrong.
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request with a body of JSON values to a URL, and gives the response's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request with a body of JSON values to a URL, of which only the success matters. Never throws.
    @_disfavoredOverload
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) async -> NetworkResponse<Void> {
        await request(Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy))
    }

    /// Sends a request with a body of JSON values to a URL, of which only the success matters.
    ///
    /// - Throws: what went wrong.
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) async throws(NetworkError) {
        try await request(Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy))
    }

    /// Sends a request with a body of JSON values to a URL, and calls back on the main actor.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder, completion: completion)
    }

    /// Sends a request with a body of JSON values to a URL, and calls back on the main actor with its value decoded there.
    @MainActor
    @discardableResult
    public func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder, completion: completion)
    }

    /// Sends a request with a body of JSON values to a URL, and calls back on a queue.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil,
        queue: DispatchQueue,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy),
            decoder: decoder, queue: queue, completion: completion)
    }

    /// A request with a body of JSON values to a URL, to attach handlers to. It is sent when the first is attached.
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: JSONValue],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) -> RequestChain {
        chain(Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy))
    }
}
