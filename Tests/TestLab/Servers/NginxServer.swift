package import NetCore

/// A real nginx on loopback, for what a server of our own cannot prove: TLS, HTTP/2, ranges, client certificates.
///
/// It ends when its owner lets go of it, and when this process ends. What it serves:
///
/// | Path | |
/// |---|---|
/// | `/small`, `/64k` | 200 bytes and 64 KiB; as every file, with ranges, `ETag` and `Last-Modified` |
/// | `/…` | what ``write(_:_:)`` and ``writeSparse(_:_:)`` put there |
/// | `/gzip/…` | the same files, compressed for clients that accept it |
/// | `/slow/…` | the same files, at 32 KiB a second |
/// | `/upload/…` | PUT stores a file: ``read(_:)`` gives it back. DELETE removes it |
/// | `/sink` | takes any method and body, and answers 204 |
/// | `/echo` | what arrived, a `name: value` a line: see ``echoed(_:)`` |
/// | `/status/N` | status N, for the codes in ``statusCodes`` |
/// | `/redirect/N/…` | status N (301, 302, 303, 307 or 308) to `/…` on the same server, as a relative reference |
/// | `/redirect-to/N?url` | status N to any URL |
/// | `/redirect-loop` | 302 to itself |
/// | `/private/…` | the same files for "user" with "password" by Basic, 401 for others |
/// | `/connections` | nginx's own count of connections (`stub_status`) |
package final class NginxServer: Sendable {
    /// Which certificate all https ports show: see ``TestCertificates``.
    package enum Certificate: Sendable, CaseIterable {
        case good, otherCA, expired, wrongHost
    }

    package enum TLSVersion: String, Sendable, CaseIterable {
        case v1_0 = "TLSv1"
        case v1_1 = "TLSv1.1"
        case v1_2 = "TLSv1.2"
        case v1_3 = "TLSv1.3"
    }

    /// Whether the port of ``mutualTLSURL`` requires a client certificate. A client without one gets 400.
    package enum ClientVerification: String, Sendable {
        case required = "on"
        case optional
    }

    /// The codes that `/status/N` knows.
    package static let statusCodes = [
        200, 201, 202, 204, 205, 206, 304, 400, 401, 402, 403, 404, 405, 409, 410, 418, 422, 425, 429, 451, 500, 501,
        502, 503, 504, 599,
    ]

    /// `http://localhost:PORT`.
    package let httpURL: URL
    /// `https://localhost:PORT`, which speaks HTTP/1.1 only.
    package let httpsURL: URL
    /// `https://localhost:PORT`, where ALPN offers HTTP/2 and HTTP/1.1.
    package let http2URL: URL
    /// `http://localhost:PORT`, which speaks HTTP/2 by prior knowledge, and nothing else.
    package let plainHTTP2URL: URL
    /// `https://localhost:PORT`, which asks for a certificate of the client's, signed by ``TestCertificates/ca``.
    package let mutualTLSURL: URL
    /// A Unix-domain socket that speaks plain HTTP/1.1.
    package let unixSocketPath: String

    /// Whether it listens on ::1, besides 127.0.0.1: it does where this machine has that address.
    package var listensOnIPv6: Bool { LoopbackSocket.hasIPv6 }

    private let process: BackgroundProcess
    private let directory: TemporaryDirectory

    /// Starts a server and returns when it accepts connections.
    ///
    /// - Throws: ``LabError``: nginx or openssl is missing, or nginx refused its configuration.
    package convenience init(
        certificate: Certificate = .good, tlsVersions: Set<TLSVersion> = [.v1_2, .v1_3],
        clientVerification: ClientVerification = .required
    ) async throws {
        let certificates = try await TestCertificates.shared
        let identity =
            switch certificate {
            case .good: certificates.server
            case .otherCA: certificates.otherServer
            case .expired: certificates.expiredServer
            case .wrongHost: certificates.wrongHostServer
            }
        try await self.init(
            NginxConfiguration(
                identity: identity, clientAuthority: certificates.ca, tlsVersions: tlsVersions,
                clientVerification: clientVerification),
            ports: { try freePorts(NginxConfiguration.portCount) })
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
            certificate: TestCertificate(url: all, der: identity.certificate.der), keyURL: identity.keyURL,
            keyDER: identity.keyDER)
        let authority = try await TestCertificates.shared.ca
        try await self.init(
            NginxConfiguration(
                identity: shown, clientAuthority: authority, tlsVersions: tlsVersions, clientVerification: .required,
                isStrict: isStrict),
            ports: { try freePorts(NginxConfiguration.portCount) })
    }

    /// - Parameter ports: asked for each attempt to start.
    init(_ configuration: NginxConfiguration, ports: () throws -> [UInt16]) async throws {
        let executable = try Tool.nginx.path()
        for _ in 0..<10 {
            let directory = try TemporaryDirectory()
            let ports = try ports()
            let process = try configuration.start(executable, in: directory, ports: ports)
            guard try await Self.isListening(process, directory) else { continue }
            let urls = zip(["http", "https", "https", "https", "http"], ports).compactMap {
                URL(string: "\($0)://localhost:\($1)")
            }
            (httpURL, httpsURL, http2URL, mutualTLSURL) = (urls[0], urls[1], urls[2], urls[3])
            plainHTTP2URL = urls[4]
            unixSocketPath = directory.file(NginxConfiguration.socketName).path
            self.process = process
            self.directory = directory
            return
        }
        throw LabError("nginx found all its ports taken, ten times in a row")
    }

    deinit { stop() }

    /// Ends the server at once, and with it all its connections. Twice is fine.
    package func stop() {
        // Killed, since a single-process nginx that is asked to end before its event loop runs never hears of it.
        process.stop(within: 0)
    }

    /// Waits until all sockets listen, or gives false if a port was taken in the meantime.
    private static func isListening(_ process: BackgroundProcess, _ directory: TemporaryDirectory) async throws -> Bool
    {
        try await waitUntil("nginx listens") {
            // The file comes after the sockets. To connect would prove less: a stranger may have the port.
            if FileManager.default.fileExists(atPath: directory.file("nginx.pid").path) { return true }
            let log = errorLog(in: directory)
            // nginx itself tries again for two and a half seconds before it gives up.
            if log.contains("bind() to"), log.contains("in use") { return false }
            guard let termination = process.termination else { return nil }
            throw LabError("nginx did not start (\(termination)): \(process.output) \(log)")
        }
    }
}

extension NginxServer {
    /// Puts a file under the document root.
    ///
    /// - Parameter name: a path such as `"a/b.json"`. `.html`, `.json`, `.txt` and `.xml` get their media types.
    package func write(_ name: String, _ data: Data) throws {
        try data.write(to: try documentURL(name), options: .atomic)
    }

    /// Puts a file of so many zeros under the document root, without taking space on the disk.
    package func writeSparse(_ name: String, _ bytes: Int) throws {
        let url = try documentURL(name)
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(bytes))
        try handle.close()
    }

    /// A file under the document root: what a PUT left there.
    package func read(_ name: String) throws -> Data { try Data(contentsOf: documentURL(name)) }

    /// A line for each request that is finished: method, target, protocol, status, bytes of the body, scheme, number of
    /// the connection, number of the request on it.
    ///
    /// It is written after the last byte of the response, and so may come after the client has it: see
    /// ``accessLog(containing:)``.
    package var accessLog: [String] { Self.text(directory.file("access.log")).split(separator: "\n").map(String.init) }

    /// The lines of ``accessLog`` that contain a text, waiting until there is one.
    package func accessLog(containing text: String) async throws -> [String] {
        try await waitUntil("nginx logs \(text)") {
            let lines = accessLog.filter { $0.contains(text) }
            return lines.isEmpty ? nil : lines
        }
    }

    /// What nginx complained about, down to level "info".
    package var errorLog: String { Self.errorLog(in: directory) }

    /// The fields in a response of `/echo`. Empty fields were not sent.
    package static func echoed(_ body: Data) -> [String: String] {
        let pairs = String(decoding: body, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.range(of: ": ").map { (String(line[..<$0.lowerBound]), String(line[$0.upperBound...])) }
        }
        return Dictionary(pairs) { _, last in last }
    }

    private static func errorLog(in directory: TemporaryDirectory) -> String { text(directory.file("error.log")) }

    /// A log that is not there yet is an empty one.
    private static func text(_ url: URL) -> String {
        String(decoding: FileManager.default.contents(atPath: url.path) ?? Data(), as: UTF8.self)
    }

    private func documentURL(_ name: String) throws -> URL {
        let url = directory.file("\(NginxConfiguration.documentRoot)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        return url
    }
}
