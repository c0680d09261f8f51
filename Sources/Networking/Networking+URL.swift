// The call styles by URL. Each makes a ``RequestConfig``, which has a style more: a response without a value.
extension Networking {
    /// Sends a request to a URL and returns the response with its value or its error. Never throws.
    ///
    /// `Data` and `String` are returned as received; other types are decoded.
    ///
    /// - Parameters:
    ///   - url: the URL. Its query is kept.
    ///   - method: the method.
    ///   - queryParameters: added to the URL's query.
    ///   - bodyParameters: the body, as an object. A nested object of mixed types is a ``JSONValue``: `["user": ["id": 1, "name": "Leia"] as JSONValue]`.
    ///   - body: the body in place of `bodyParameters`: an array, a type with properties, or `Data` or a `String`, which are sent as they are.
    ///     With GET and HEAD the call fails with ``NetworkError/invalidRequest``.
    ///   - contentType: how the body is encoded: by the client's encoder, which makes JSON by default, or as a form.
    ///   - headers: the headers.
    ///   - retryCount: how many times the request is repeated after a failure that may be temporary.
    ///   - cachePolicy: what the cache may do.
    ///   - timeout: the longest time without any byte, in seconds; nil for the client's.
    ///   - decoder: nil for the client's.
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout), decoder: decoder)
    }

    /// Sends a request to a URL and returns the response with its value, decoded on the caller's actor. Never throws.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout), decoder: decoder)
    }

    /// Sends a request to a URL and returns its value.
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout), decoder: decoder)
    }

    /// Sends a request to a URL and returns its value, decoded on the caller's actor.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout), decoder: decoder)
    }

    /// Sends a request to a URL and ignores the body.
    public func request(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil
    ) async throws(NetworkError) {
        try await request(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout))
    }

    /// Sends a request to a URL and calls back on the main actor.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout), decoder: decoder, completion: completion)
    }

    /// Sends a request to a URL and calls back on the main actor with its value decoded there.
    @MainActor
    @discardableResult
    public func request<Value: Decodable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout), decoder: decoder, completion: completion)
    }

    /// Sends a request to a URL and calls back on a queue.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(), retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil, decoder: (any BodyDecoder)? = nil,
        queue: DispatchQueue, completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout), decoder: decoder, queue: queue, completion: completion)
    }

    /// Returns a request to a URL, to attach handlers to. It is sent when the first is attached.
    public func request(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], body: (any Encodable & Sendable)? = nil,
        contentType: RequestContentType = .clientEncoder, headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0, cachePolicy: CachePolicy? = nil, timeout: TimeInterval? = nil
    ) -> RequestChain {
        chain(
            RequestConfig(
                url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters, body: body,
                contentType: contentType, headers: headers, cachePolicy: cachePolicy, retryCount: retryCount,
                timeout: timeout))
    }
}
