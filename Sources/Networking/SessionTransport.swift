/// Sends through a `URLSession` of the user's, or says why that cannot be: when something is sent, since the initialisers of
/// `Networking` do not throw (seed 000).
struct SessionTransport: HTTPTransport {
    private let base: Result<URLSessionTransport, any Error>

    init(_ session: URLSession) {
        base = Result { try URLSessionTransport(session: session) }
    }

    var missingCapabilities: [TransportCapability: String] {
        (try? base.get())?.missingCapabilities ?? [:]
    }

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        try await base.get().send(request, body: body, context: context)
    }

    func shutdown() async {
        if case .success(let transport) = base { await transport.shutdown() }
    }
}

extension SessionTransport: ConfiguredTransport {
    var configuration: TransportConfiguration { (try? base.get())?.configuration ?? TransportConfiguration() }
    var cookies: CookieStore? { (try? base.get())?.cookies }
}

extension SessionTransport: UpgradingTransport {
    package func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse {
        try await UpgradeEnd(transport: base.get()).send(request, body: nil, context: context)
    }
}
