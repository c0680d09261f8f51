public import NetCore

#if canImport(Darwin) || !os(Linux)
    /// The platform's transport: `CurlTransport` on Linux, ``URLSessionTransport`` elsewhere.
    public typealias PlatformTransport = URLSessionTransport
#else
    /// The platform's transport: `CurlTransport` on Linux, ``URLSessionTransport`` elsewhere.
    public typealias PlatformTransport = CurlTransport
#endif

extension HTTPTransport where Self == PlatformTransport {
    /// A new transport of the platform, with the default settings.
    public static var platform: PlatformTransport { PlatformTransport(settings: .success(.init())) }

    /// Returns a new transport of the platform.
    ///
    /// ```swift
    /// let client = NetworkClient(transport: .platform(configuration))
    /// ```
    ///
    /// - Parameter configuration: if the platform lacks a setting, each request is refused with ``NetworkError/unsupported(_:)``.
    public static func platform(_ configuration: TransportConfiguration) -> PlatformTransport {
        PlatformTransport(settings: .success(configuration))
    }

    /// Returns a new transport of the platform, with the settings of a `URLSessionConfiguration`: see ``TransportConfiguration/init(mapping:)``.
    ///
    /// - Parameter session: read now. If a setting cannot be mapped, each request is refused with ``NetworkError/unsupported(_:)``;
    ///   [Transports](doc:/Guides/Transports) has the table.
    @_disfavoredOverload
    public static func platform(_ session: URLSessionConfiguration) -> PlatformTransport {
        PlatformTransport(settings: Result { () throws(NetworkError) in try TransportConfiguration(mapping: session) })
    }
}

extension PlatformTransport {
    /// - Parameters:
    ///   - settings: the settings, or the error of every request.
    ///   - isPlatformDefault: whether new settings of a client replace it.
    package convenience init(settings: Result<TransportConfiguration, NetworkError>, isPlatformDefault: Bool = true) {
        switch settings {
        case .success(let configuration): self.init(configuration, refusal: nil, isPlatformDefault: isPlatformDefault)
        case .failure(let refusal): self.init(.init(), refusal: refusal, isPlatformDefault: isPlatformDefault)
        }
    }
}

/// A transport that is made from a ``TransportConfiguration``. The client applies the settings that are not about connections (default
/// fields, cookies).
package protocol ConfiguredTransport: HTTPTransport {
    var configuration: TransportConfiguration { get }
    var clientState: ClientState { get }
    /// Whether the transport comes from ``HTTPTransport/platform``, so that new settings of a client replace it.
    var isPlatformDefault: Bool { get }
    /// Whether it ends each exchange at the call's deadline by itself, whatever the exchange waits for.
    var keepsDeadlines: Bool { get }
    /// Returns a transport of the same kind with other settings.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` if its connections are not its own.
    func with(_ configuration: TransportConfiguration) throws -> any ConfiguredTransport
    /// Cancels the exchanges of one client, with streams that are being read and connections that left HTTP.
    func cancel(_ group: ObjectIdentifier)
    /// Identifies the connections in the keys of caches.
    var connectionIdentity: ConnectionIdentity { get }
    /// Has servers see another client certificate from the next connection on.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` if the transport cannot replace it, or has none; ``TransportError`` for one that cannot be
    ///   used. Then the earlier one stays.
    func replaceClientCertificate(_ certificate: TransportConfiguration.ClientCertificate) throws
}

/// What all clients of a transport share, such as their cookies. The transport only keeps it.
package final class ClientState: Sendable {
    private let value = Locked<(any AnyObject & Sendable)?>(nil)

    package init() {}

    /// Returns the object, which the first client makes.
    package func object<Object: AnyObject & Sendable>(orMake make: () -> Object?) -> Object? {
        value.withLock { value in
            if value == nil { value = make() }
            return value as? Object
        }
    }
}

extension ConfiguredTransport {
    package var isPlatformDefault: Bool { false }

    package var connectionIdentity: ConnectionIdentity { ConnectionIdentity(configuration) }

    package func replaceClientCertificate(_ certificate: TransportConfiguration.ClientCertificate) throws {
        throw NetworkError.unsupported(
            "\(type(of: self)) cannot replace its client certificate. Make a new client, and shut the earlier one down."
        )
    }
}

/// The end of the pipeline for a request that upgrades its connection to another protocol.
package struct UpgradeTransport: HTTPTransport {
    let transport: any HTTPTransport

    package init(transport: any HTTPTransport) { self.transport = transport }

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
