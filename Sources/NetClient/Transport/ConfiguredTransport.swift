/// A transport that is made from a ``TransportConfiguration``. The client applies the settings that are not about connections: default fields
/// and cookies.
package protocol ConfiguredTransport: HTTPTransport {
    var configuration: TransportConfiguration { get }
    /// The cookie store that all clients of the transport share; nil for none.
    var cookies: CookieStore? { get }
}

/// The end of the pipeline for a request that upgrades its connection to another protocol.
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
        guard body == nil else { throw NetworkError.unsupported("A request for an upgrade must not have a body.") }
        return try await transport.upgrade(request, context: context)
    }
}
