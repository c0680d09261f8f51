package import NetCore

/// A real HTTP proxy (tinyproxy) on loopback: it forwards plain http and opens tunnels with CONNECT, to any port.
///
/// It ends when its owner lets go of it, and when this process ends.
package final class ProxyServer: Sendable {
    /// The credentials for `Proxy-Authorization: Basic`.
    package struct Credentials: Sendable {
        package let user: String
        package let password: String

        /// - Parameters:
        ///   - user: without white space and quotes, as the proxy's configuration wants it.
        ///   - password: the same.
        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// `http://127.0.0.1:PORT`.
    package let url: URL

    private let process: BackgroundProcess
    private let directory: TemporaryDirectory

    /// Starts a proxy and returns when it accepts connections.
    ///
    /// - Parameter credentials: who shows none gets a 407, who shows wrong ones a 401 (tinyproxy's own idea; RFC 9110,
    ///   section 15.5.8, wants 407 there, too). Nil lets everybody in.
    /// - Throws: ``LabError``: tinyproxy is missing, or refused its configuration.
    package init(credentials: Credentials? = nil) async throws {
        let directory = try TemporaryDirectory()
        let log = directory.file("log")
        var port: UInt16 = 0
        process = try await startServer("tinyproxy", log: { log }) {
            port = try freePort()
            let file = directory.file("tinyproxy.conf")
            try Data(Self.configuration(log, port, credentials).utf8).write(to: file)
            return try BackgroundProcess("tinyproxy", ["-d", "-c", file.path])
        } isListening: {
            $0.contains("Accepting connections")
        }
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw LabError("No URL for port \(port)") }
        self.url = url
        self.directory = directory
    }

    /// The request lines that it received, such as `GET http://localhost:80/ HTTP/1.1` or `CONNECT localhost:443 HTTP/1.1`,
    /// also of those that it refused.
    package var requests: [String] {
        logText(directory.file("log")).split(separator: "\n").compactMap { line in
            guard line.hasPrefix("CONNECT "), let mark = line.range(of: "): ", options: .backwards),
                line.contains(": Request (")
            else { return nil }
            return String(line[mark.upperBound...])
        }
    }

    private static func configuration(
        _ log: URL, _ port: UInt16, _ credentials: Credentials?
    ) -> String {
        """
        Port \(port)
        Listen 127.0.0.1
        Allow 127.0.0.1
        Timeout 600
        MaxClients 200
        LogLevel Info
        LogFile "\(log.path)"
        \(credentials.map { "BasicAuth \($0.user) \($0.password)" } ?? "")

        """
    }
}

/// A real SOCKS5 proxy (microsocks) on loopback. It ends when its owner lets go of it, and when this process ends.
package final class SocksServer: Sendable {
    package let port: Int
    private let process: BackgroundProcess

    /// Starts a proxy and returns when it accepts connections.
    ///
    /// - Parameter credentials: required of clients; nil for a proxy without authentication.
    package init(credentials: ProxyServer.Credentials? = nil) async throws {
        let login = credentials.map { ["-u", $0.user, "-P", $0.password] } ?? []
        var port: UInt16 = 0
        process = try await startServer("microsocks") {
            port = try freePort()
            return try BackgroundProcess("microsocks", ["-i", "127.0.0.1", "-p", "\(port)"] + login)
        } isListening: { _ in
            accepts(port)
        }
        self.port = Int(port)
    }

    package func stop() { process.stop(within: 0) }

    /// The servers to which it opened connections, as the clients named them: `localhost:80` or `127.0.0.1:80`.
    package var destinations: [String] {
        process.output.split(separator: "\n").compactMap { line in
            line.range(of: ": connected to ").map { String(line[$0.upperBound...]) }
        }
    }
}

/// Whether something listens on a port of 127.0.0.1.
func accepts(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, SocketConstant.stream, 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}

/// A real HTTP proxy that is reached over TLS: stunnel in front of tinyproxy.
package final class TLSProxyServer: Sendable {
    package let port: Int
    /// What the requests reach behind stunnel.
    package let proxy: ProxyServer
    private let process: BackgroundProcess
    private let directory: TemporaryDirectory

    /// Starts a proxy and returns when it accepts connections.
    package init(identity: TestIdentity, credentials: ProxyServer.Credentials? = nil) async throws {
        proxy = try await ProxyServer(credentials: credentials)
        directory = try TemporaryDirectory()
        let file = directory.file("stunnel.conf")
        var port: UInt16 = 0
        process = try await startServer("stunnel") { [proxy] in
            port = try freePort()
            let configuration = """
                foreground = yes
                pid =
                [proxy]
                accept = 127.0.0.1:\(port)
                connect = 127.0.0.1:\(proxy.url.port ?? 0)
                cert = \(identity.certificate.url.path)
                key = \(identity.keyURL.path)

                """
            try Data(configuration.utf8).write(to: file)
            return try BackgroundProcess("stunnel", [file.path])
        } isListening: {
            $0.contains("Configuration successful")
        }
        self.port = Int(port)
    }
}
