package import NetCore

extension NetworkClient {
    /// Sends a request that asks to leave HTTP, through those parts of the pipeline that suit it.
    ///
    /// Redirects, preparation, offline guard, retry, breaker, limits and the user's interceptors take part. Cache, coalescing and hedging
    /// do not, since a connection belongs to one caller.
    ///
    /// - Returns: the answer, whatever its status. With 101 it holds the connection, ``TransportResponse/upgraded``.
    /// - Throws: a failure; ``NetworkError/unsupported(_:)`` if the transport cannot do it.
    package func upgrade(
        _ request: URLRequest, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> TransportResponse {
        let suited = chain.interceptors.filter(\.handlesUpgrades)
        let detour = InterceptorChain(interceptors: suited, transport: UpgradeEnd(transport: chain.transport))
        do {
            return try await perform(request, body: nil, context: context, isCollected: false, through: detour)
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: clock.now)
        }
    }
}

/// The end of the pipeline for a request that asks to leave HTTP.
package struct UpgradeEnd: HTTPTransport {
    let transport: any HTTPTransport

    package init(transport: any HTTPTransport) {
        self.transport = transport
    }

    package func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
    {
        guard let transport = transport as? any UpgradingTransport else {
            throw NetworkError.unsupported(
                "\(type(of: transport)) cannot hand over a connection, which a WebSocket needs. Use .platform, or on Linux a "
                    + "CurlTransport.")
        }
        guard body == nil else { throw NetworkError.unsupported("A request that asks for an upgrade has no body.") }
        return try await transport.upgrade(request, context: context)
    }
}
