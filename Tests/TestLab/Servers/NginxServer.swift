package import NetCore

/// A real nginx on loopback, for what a server of our own cannot prove: TLS, HTTP/2, ranges, client certificates.
///
/// It ends when its owner lets go of it, and when this process ends. What it serves:
///
/// | Path | |
/// |---|---|
/// | `/small`, `/64k` | 200 bytes and 64 KiB; as every file, with ranges, `ETag` and `Last-Modified` |
/// | `/…` | what ``write(_:_:)`` put there |
/// | `/upload/…` | PUT stores a file: ``read(_:)`` gives it back |
/// | `/echo` | what arrived, a `name: value` a line: see ``echoed(_:)`` |
package final class NginxServer: Sendable {
    /// Which certificate all https ports show: see ``TestCertificates``.
    package enum Certificate: Sendable, CaseIterable {
        case good, otherCA, expired, wrongHost
    }

    package enum TLSVersion: String, Sendable, CaseIterable {
        case v1_1 = "TLSv1.1"
        case v1_2 = "TLSv1.2"
        case v1_3 = "TLSv1.3"
    }

    /// `http://localhost:PORT`.
    package let httpURL: URL
    /// `https://localhost:PORT`, which speaks HTTP/1.1 only.
    package let httpsURL: URL
    /// `https://localhost:PORT`, where ALPN offers HTTP/2 and HTTP/1.1.
    package let http2URL: URL
    /// `http://localhost:PORT`, which speaks HTTP/2 by prior knowledge, and nothing else.
    package let plainHTTP2URL: URL
    /// `https://localhost:PORT`, which requires a certificate of the client's, signed by ``TestCertificates/ca``. Without one it answers 400.
    package let mutualTLSURL: URL
    /// A Unix-domain socket that speaks plain HTTP/1.1.
    package let unixSocketPath: String

    // Killed at its end, since a single-process nginx that is asked to end before its event loop runs never hears of it.
    private let process: BackgroundProcess
    private let directory: TemporaryDirectory

    /// Starts a server and returns when it accepts connections.
    ///
    /// - Throws: ``LabError``: nginx or openssl is missing, or nginx refused its configuration.
    package convenience init(
        certificate: Certificate = .good, tlsVersions: Set<TLSVersion> = [.v1_2, .v1_3]
    ) async throws {
        let certificates = try await TestCertificates.shared
        let identity =
            switch certificate {
            case .good: certificates.server
            case .otherCA: certificates.otherServer
            case .expired: certificates.expiredServer
            case .wrongHost: certificates.wrongHostServer
            }
        try await self.init(identity, tlsVersions: tlsVersions)
    }

    /// Starts a server that shows a certificate of any kind.
    ///
    /// - Parameters:
    ///   - identity: its own certificate and key.
    ///   - chain: what it sends after that, whether it proves something or not.
    ///   - isStrict: false to let it have a key that OpenSSL holds to be too weak.
    package convenience init(
        _ identity: TestIdentity, chain: [TestCertificate] = [], tlsVersions: Set<TLSVersion> = [.v1_2, .v1_3],
        isStrict: Bool = true
    ) async throws {
        let files = try TemporaryDirectory()
        let all = files.file("chain.pem")
        try Data(([identity.certificate] + chain).map { try $0.pem }.joined()).write(to: all)
        let shown = TestIdentity(
            certificate: TestCertificate(url: all, der: identity.certificate.der), keyURL: identity.keyURL)
        let authority = try await TestCertificates.shared.ca
        try await self.init(
            NginxConfiguration(
                identity: shown, clientAuthority: authority, tlsVersions: tlsVersions, isStrict: isStrict),
            ports: { try freePorts(NginxConfiguration.portCount) })
    }

    /// - Parameter ports: asked for each attempt to start.
    init(_ configuration: NginxConfiguration, ports: () throws -> [UInt16]) async throws {
        var directory = try TemporaryDirectory()
        var chosen: [UInt16] = []
        process = try await startServer("nginx", log: { directory.file("error.log") }) {
            // A new one each time, since nginx leaves its log and its socket.
            (directory, chosen) = (try TemporaryDirectory(), try ports())
            return try configuration.start(in: directory, ports: chosen)
        } isListening: { _ in
            // The file comes after the sockets. To connect would prove less: a stranger may have the port.
            FileManager.default.fileExists(atPath: directory.file("nginx.pid").path)
        }
        let urls = zip(["http", "https", "https", "https", "http"], chosen).compactMap {
            URL(string: "\($0)://localhost:\($1)")
        }
        (httpURL, httpsURL, http2URL, mutualTLSURL) = (urls[0], urls[1], urls[2], urls[3])
        plainHTTP2URL = urls[4]
        unixSocketPath = directory.file(NginxConfiguration.socketName).path
        self.directory = directory
    }
}

extension NginxServer {
    /// Puts a file under the document root.
    ///
    /// - Parameter name: a path such as `"a/b.json"`.
    package func write(_ name: String, _ data: Data) throws {
        try data.write(to: try documentURL(name), options: .atomic)
    }

    /// A file under the document root: what a PUT left there.
    package func read(_ name: String) throws -> Data { try Data(contentsOf: documentURL(name)) }

    /// A line for each request that is finished: method, target, protocol, status, bytes of the body, scheme, number of
    /// the connection, number of the request on it.
    ///
    /// It is written after the last byte of the response, and so may come after the client has it: see
    /// ``accessLog(containing:)``.
    package var accessLog: [String] { logText(directory.file("access.log")).split(separator: "\n").map(String.init) }

    /// The lines of ``accessLog`` that contain a text, waiting until there is one.
    package func accessLog(containing text: String) async throws -> [String] {
        try await waitUntil("nginx logs \(text)") {
            let lines = accessLog.filter { $0.contains(text) }
            return lines.isEmpty ? nil : lines
        }
    }

    /// The fields in a response of `/echo`. Empty fields were not sent.
    package static func echoed(_ body: Data) -> [String: String] {
        let pairs = String(decoding: body, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.range(of: ": ").map { (String(line[..<$0.lowerBound]), String(line[$0.upperBound...])) }
        }
        return Dictionary(pairs) { _, last in last }
    }

    private func documentURL(_ name: String) throws -> URL {
        let url = directory.file("\(NginxConfiguration.documentRoot)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        return url
    }
}
