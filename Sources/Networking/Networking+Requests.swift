// The call styles: `async` and never throwing, `async throws`, completion, and chain, each with a ``RequestConfig`` and by URL.
extension Networking {
    /// Sends a request and returns the response with its value or its error. Never throws.
    ///
    /// `Data` and `String` are returned as received; other types are decoded.
    ///
    /// - Parameters:
    ///   - config: the request.
    ///   - decoder: nil for the client's, which is JSON by default.
    public func request<Value: Decodable & Sendable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(config, serializer: DecodableSerializer(Value.self, decoder: decoder ?? client.decoder))
    }

    /// Sends a request and returns its value.
    ///
    /// - Throws: the error without its context. The style that returns a ``NetworkResponse`` has the context too.
    public func request<Value: Decodable & Sendable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await request(config, decoder: decoder)
        return try response.get()
    }

    /// Sends a request and returns the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func request<Value: Decodable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await client.outcome { try client.call(for: config) }
            .decoded(by: decoder ?? client.decoder, timestamp: client.clock.now)
    }

    /// Sends a request and returns its value, decoded on the caller's actor.
    public nonisolated(nonsending) func request<Value: Decodable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        let response: NetworkResponse<Value> = await request(config, decoder: decoder)
        return try response.get()
    }

    /// Sends a request and ignores the body. Never throws.
    @_disfavoredOverload
    public func request(_ config: RequestConfig) async -> NetworkResponse<Void> {
        await request(config, serializer: VoidSerializer())
    }

    /// Sends a request and ignores the body.
    public func request(_ config: RequestConfig) async throws(NetworkError) {
        let response: NetworkResponse<Void> = await request(config)
        try response.get()
    }

    /// Sends a request and returns the response with the value of a serialiser. Never throws.
    public func request<Serializer: ResponseSerializer>(
        _ config: RequestConfig, serializer: Serializer
    ) async -> NetworkResponse<Serializer.Value> {
        await client.networkResponse(by: serializer) { try client.call(for: config) }
    }

    /// Sends a request, and calls back on the main actor.
    ///
    /// `completion` is called once. A program on Linux that blocks its main thread never gets there; it needs a `queue`.
    ///
    /// - Returns: a handle to cancel the call or to attach more handlers; it may be ignored.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain { chain(config).responseDecodable(of: Value.self, decoder: decoder, completion: completion) }

    /// Sends a request, and calls back on the main actor with its value decoded there.
    @MainActor
    @discardableResult
    public func request<Value: Decodable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> RequestChain { chain(config).responseDecodable(of: Value.self, decoder: decoder, completion: completion) }

    /// Sends a request, and calls back on a queue.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        _ config: RequestConfig, decoder: (any BodyDecoder)? = nil, queue: DispatchQueue,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        chain(config).responseDecodable(of: Value.self, queue: queue, decoder: decoder, completion: completion)
    }

    /// Returns a request to attach handlers to. It is sent when the first is attached.
    ///
    /// In asynchronous code `let chain = networking.request(config)` picks the `async` call. Use ``chain(_:)`` to keep a chain there.
    public func request(_ config: RequestConfig) -> RequestChain { chain(config) }

    /// Returns a request to attach handlers to. Its name is unambiguous in asynchronous code too.
    public func chain(_ config: RequestConfig) -> RequestChain { RequestChain(networking: self, config: config) }

    /// Returns the request of a configuration. Its body is encoded where this is called.
    func build(_ config: RequestConfig) throws(NetworkFailure) -> BuiltCall {
        try client.build { try client.call(for: config) }
    }

    // MARK: By URL

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
