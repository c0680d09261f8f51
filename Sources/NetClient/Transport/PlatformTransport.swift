/// The transport that suits the platform: on Linux `CurlTransport`, elsewhere ``URLSessionTransport``.
///
/// ```swift
/// let client = NetworkClient(transport: .platform(configuration))
/// ```
public struct PlatformTransport: HTTPTransport {
    #if canImport(Darwin) || !os(Linux)
        typealias Base = URLSessionTransport
    #else
        typealias Base = CurlTransport
    #endif

    private let base: Base
    /// What speaks against the settings: told when something is sent, as all that a transport cannot do.
    private let refusal: NetworkError?

    /// A transport with settings of its own, and so with connections and cookies of its own.
    public init(configuration: TransportConfiguration = .init()) {
        self.init(settings: .success(configuration))
    }

    /// A transport with the settings of a `URLSessionConfiguration`: see ``TransportConfiguration/init(mapping:)``.
    ///
    /// - Parameter session: read now. What cannot be taken over is refused with ``NetworkError/unsupported(_:)`` when
    ///   something is sent.
    public init(mapping session: URLSessionConfiguration) {
        self.init(settings: Result { () throws(NetworkError) in try TransportConfiguration(mapping: session) })
    }

    /// - Parameter settings: or what speaks against them.
    init(settings: Result<TransportConfiguration, NetworkError>) {
        switch settings {
        case .success(let configuration):
            base = Base(configuration: configuration)
            refusal = nil
        case .failure(let refusal):
            base = Base(configuration: TransportConfiguration())
            self.refusal = refusal
        }
    }

    /// What the platform's transport leaves out.
    public var missingCapabilities: [TransportCapability: String] { base.missingCapabilities }

    /// Sends one request. See the platform's transport for what it throws.
    public func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
    {
        if let refusal { throw refusal }
        return try await base.send(request, body: body, context: context)
    }

    /// Ends what is in flight with ``TransportError/Code/shutDown``. Copies of this value share the transport.
    public func shutdown() async {
        await base.shutdown()
    }
}

extension PlatformTransport: ConfiguredTransport {
    package var configuration: TransportConfiguration { base.configuration }
    package var cookies: CookieStore? { base.cookies }
}

extension PlatformTransport: UpgradingTransport {
    package func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse {
        if let refusal { throw refusal }
        return try await UpgradeEnd(transport: base).send(request, body: nil, context: context)
    }
}

extension HTTPTransport where Self == PlatformTransport {
    /// A new transport of the platform's kind, with the default settings.
    public static var platform: PlatformTransport { PlatformTransport() }

    /// A new transport of the platform's kind.
    ///
    /// - Parameter configuration: what the platform cannot do is refused with ``NetworkError/unsupported(_:)`` when
    ///   something is sent.
    public static func platform(_ configuration: TransportConfiguration) -> PlatformTransport {
        PlatformTransport(configuration: configuration)
    }

    /// A new transport of the platform's kind, with the settings of a `URLSessionConfiguration` (seeds 000, 001).
    ///
    /// - Parameter session: what cannot be taken over from it is refused with ``NetworkError/unsupported(_:)`` when
    ///   something is sent; `Docs/Transports.md` has the table.
    @_disfavoredOverload
    public static func platform(_ session: URLSessionConfiguration) -> PlatformTransport {
        PlatformTransport(mapping: session)
    }
}
