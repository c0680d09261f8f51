// Every call style by URL with any value as the body: an array, a type with properties, a form, `Data`.
//
// `body` has no default here: a call without a body then has one form of each style to choose from.
extension Networking {
    /// Sends a request with a body to a URL, and gives the response with its value or its error. Never throws.
    ///
    /// - Parameters:
    ///   - url: the URL; a query in it is kept.
    ///   - method: one that takes a body: with GET and HEAD the call fails with ``NetworkError/invalidRequest``.
    ///   - queryParameters: added to the URL's query.
    ///   - body: any value: an array, a type with properties, or `Data`, which is sent as it is.
    ///   - contentType: how the body is encoded: by the client's encoder unless given, or as a form.
    ///   - headers: the headers.
    ///   - retryCount: how many times it is sent again after a failure that may pass.
    ///   - cachePolicy: what the cache may do.
    ///   - decoder: nil for the client's.
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request with a body to a URL, and gives the response with its value, decoded on the caller's actor, or its error. Never throws.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async -> NetworkResponse<Value> {
        await request(
            Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request with a body to a URL, and gives the response's value.
    ///
    /// - Throws: what went wrong.
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request with a body to a URL, and gives the response's value, decoded on the caller's actor.
    ///
    /// - Throws: what went wrong.
    public nonisolated(nonsending) func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil
    ) async throws(NetworkError) -> Value {
        try await request(
            Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy),
            decoder: decoder)
    }

    /// Sends a request with a body to a URL, of which only the success matters. Never throws.
    @_disfavoredOverload
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) async -> NetworkResponse<Void> {
        await request(Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy))
    }

    /// Sends a request with a body to a URL, of which only the success matters.
    ///
    /// - Throws: what went wrong.
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) async throws(NetworkError) {
        let response: NetworkResponse<Void> = await request(
            Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy))
        try response.get()
    }

    /// Sends a request with a body to a URL, and calls back on the main actor.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy),
            decoder: decoder, completion: completion)
    }

    /// Sends a request with a body to a URL, and calls back on the main actor with its value decoded there.
    @MainActor
    @discardableResult
    public func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy),
            decoder: decoder, completion: completion)
    }

    /// Sends a request with a body to a URL, and calls back on a queue.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil,
        decoder: (any BodyDecoder)? = nil,
        queue: DispatchQueue,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        request(
            Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy),
            decoder: decoder, queue: queue, completion: completion)
    }

    /// A request with a body to a URL, to attach handlers to. It is sent when the first is attached.
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        body: any Encodable & Sendable,
        contentType: RequestContentType = .clientEncoder,
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) -> RequestChain {
        chain(Self.config(url, method, queryParameters, body, contentType, headers, retryCount, cachePolicy))
    }

    /// What a URL, a body and the parameters beside it describe.
    static func config(
        _ url: URL, _ method: HTTPMethod, _ query: [String: any Encodable & Sendable],
        _ body: any Encodable & Sendable, _ contentType: RequestContentType, _ headers: HTTPHeaders,
        _ retryCount: Int, _ cachePolicy: CachePolicy?
    ) -> RequestConfig {
        RequestConfig(
            url: url, method: method, queryParameters: query, body: body, contentType: contentType, headers: headers,
            cachePolicy: cachePolicy, retryCount: retryCount)
    }
}
