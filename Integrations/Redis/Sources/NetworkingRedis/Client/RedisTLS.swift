internal import NIOCore
internal import NIOSSL
public import NetCore

/// The TLS settings of a connection to Redis. The server's certificate is always verified, and must
/// have the server's name or the IP address of the connection. TLS 1.2 is the minimum.
public struct RedisTLS: Sendable {
    private let context: NIOSSLContext
    private let serverName: String?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - trustedCertificates: the authorities to trust, as PEM; nil for those of the system.
    ///   - serverName: the name in the server's certificate; nil for the host of the address. A Redis Cluster announces its nodes by IP address,
    ///     so set the name if their certificates have none for the address.
    /// - Throws: ``RedisError/invalidConfiguration(reason:)`` if the PEM has no certificate.
    public init(trustedCertificates: Data? = nil, serverName: String? = nil) throws {
        var settings = TLSConfiguration.makeClientConfiguration()
        settings.minimumTLSVersion = .tlsv12
        do {
            if let trustedCertificates {
                settings.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(trustedCertificates)))
            }
            context = try NIOSSLContext(configuration: settings)
        } catch {
            throw RedisError.invalidConfiguration(reason: "The trusted certificates cannot be read as PEM: \(error)")
        }
        self.serverName = serverName
    }

    func makeHandler(for address: RedisAddress) throws -> NIOSSLClientHandler {
        var name = serverName
        // An IP address is not a name in SNI. NIOSSL compares the certificate with the address itself.
        if name == nil, case .tcp(let host, _) = address, (try? SocketAddress(ipAddress: host, port: 0)) == nil {
            name = host
        }
        return try NIOSSLClientHandler(context: context, serverHostname: name)
    }
}
