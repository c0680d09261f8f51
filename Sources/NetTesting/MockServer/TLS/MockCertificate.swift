public import NetCore

/// What a ``MockServer`` shows who speaks TLS with it: a certificate, its key, and the authority to trust.
///
/// ```swift
/// let certificate = try await MockCertificate.make()
/// let server = try MockServer(certificate: certificate)
/// var configuration = TransportConfiguration()
/// configuration.certificateAuthorities = .only(pem: certificate.authority)
/// let client = NetworkClient(transport: .platform(configuration))
/// ```
///
/// None lies in a repository: it would expire, and somebody would trust it.
public struct MockCertificate: Sendable {
    /// The certificate of the authority, in PEM. A client that trusts it trusts the server.
    public let authority: Data
    /// The certificate of the server, in PEM; intermediate ones may follow it.
    public let certificate: Data
    /// Its private key, in PEM, without a password.
    public let privateKey: Data

    /// A certificate that you have made yourself.
    public init(certificate: Data, privateKey: Data, authority: Data) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.authority = authority
    }

    /// The server's certificate in DER, as a pin is made of it; empty if ``certificate`` is no PEM.
    public var der: Data { PEM.blocks(certificate).first ?? Data() }

    /// Makes an authority and a certificate by it, with EC keys, valid for two days: some tens of milliseconds, so make one and share it.
    ///
    /// The `openssl` command has to be there (Debian: `apt-get install openssl`; macOS has one). No file is left behind.
    ///
    /// - Parameter names: host names and IP addresses that the server may be called by.
    /// - Throws: ``NetTestingError/unavailable(_:)`` without the command, and on systems that run no commands (iOS and the like).
    @concurrent
    public static func make(names: [String] = ["localhost", "127.0.0.1", "::1"]) async throws -> MockCertificate {
        #if os(Linux) || os(macOS)
            try await CertificateMaker.make(names: names)
        #else
            throw NetTestingError.unavailable("There are no commands here: make the certificate elsewhere.")
        #endif
    }
}

/// The text form of certificates and keys (RFC 7468).
enum PEM {
    /// The bytes of each block, in order.
    static func blocks(_ text: Data) -> [Data] {
        var blocks: [Data] = []
        var lines: [Substring]?
        for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                lines = []
            } else if line.hasPrefix("-----END ") {
                if let data = lines.flatMap({ Data(base64Encoded: $0.joined()) }), !data.isEmpty { blocks.append(data) }
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        return blocks
    }
}
