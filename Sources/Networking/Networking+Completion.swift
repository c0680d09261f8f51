// The completion style. Without a queue the completion is on the main actor and may touch the interface; with a queue it
// runs there. Both may be called from any thread.
extension Networking {
    /// Sends a request, and calls back on the main actor.
    ///
    /// - Parameters:
    ///   - config: the request.
    ///   - decoder: nil for the client's.
    ///   - completion: called once. A program on Linux that blocks its main thread never gets there: give a `queue` then.
    /// - Returns: a handle on the call, to cancel it or to attach more handlers; it may be ignored.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        _ config: RequestConfig,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        chain(config).responseDecodable(of: Value.self, decoder: decoder, completion: completion)
    }

    /// Sends a request, and calls back on the main actor with its value decoded there.
    @MainActor
    @discardableResult
    public func request<Value: Decodable>(
        _ config: RequestConfig,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        chain(config).responseDecodable(of: Value.self, decoder: decoder, completion: completion)
    }

    /// Sends a request, and calls back on a queue.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        _ config: RequestConfig,
        decoder: (any BodyDecoder)? = nil,
        queue: DispatchQueue,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> RequestChain {
        chain(config).responseDecodable(of: Value.self, queue: queue, decoder: decoder, completion: completion)
    }

    /// Sends a request to a URL, and calls back on the main actor.
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
    ///   - completion: called once.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
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

    /// Sends a request to a URL, and calls back on the main actor with its value decoded there.
    @MainActor
    @discardableResult
    public func request<Value: Decodable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
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

    /// Sends a request to a URL, and calls back on a queue.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
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
}
