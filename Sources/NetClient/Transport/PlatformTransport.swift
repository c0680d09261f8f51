/// tmp
public struct PlatformTransport: HTTPTransport {
    /// tmp
    public init(configuration: TransportConfiguration = .init()) {}
    /// tmp
    public func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        throw NetworkError.unsupported("tmp")
    }
}
extension HTTPTransport where Self == PlatformTransport {
    /// tmp
    public static var platform: PlatformTransport { PlatformTransport() }
    /// tmp
    public static func platform(_ configuration: TransportConfiguration) -> PlatformTransport { PlatformTransport() }
}
