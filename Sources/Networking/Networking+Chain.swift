// The chain style: `networking.request(config).cURLLog().responseDecodable(of: User.self) { … }`.
extension Networking {
    /// A request to attach handlers to. It is sent when the first is attached.
    ///
    /// In asynchronous code `let chain = networking.request(config)` picks the `async` call; ``chain(_:)`` is the way to keep
    /// a chain there.
    public func request(_ config: RequestConfig) -> RequestChain {
        chain(config)
    }

    /// A request to a URL to attach handlers to. It is sent when the first is attached.
    public func request(
        url: URL,
        method: HTTPMethod = .get,
        queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:],
        headers: HTTPHeaders = HTTPHeaders(),
        retryCount: Int = 0,
        cachePolicy: CachePolicy? = nil
    ) -> RequestChain {
        chain(Self.config(url, method, queryParameters, bodyParameters, headers, retryCount, cachePolicy))
    }

    /// A request to attach handlers to, by a name that nothing else has.
    public func chain(_ config: RequestConfig) -> RequestChain {
        RequestChain(networking: self, config: config)
    }
}
