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
    package convenience init(credentials: Credentials? = nil) async throws {
        try await self.init(credentials: credentials, port: freePort)
    }

    /// - Parameter port: asked for each attempt to start.
    init(credentials: Credentials?, port: () throws -> UInt16) async throws {
        let executable = try Tool.tinyproxy.path()
        for _ in 0..<10 {
            let directory = try TemporaryDirectory()
            let port = try port()
            let file = directory.file("tinyproxy.conf")
            try Data(Self.configuration(directory, port, credentials).utf8).write(to: file)
            let process = try BackgroundProcess(executable, ["-d", "-c", file.path])
            guard try await Self.isListening(process, directory) else { continue }
            guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw LabError("No URL for port \(port)") }
            self.url = url
            self.process = process
            self.directory = directory
            return
        }
        throw LabError("tinyproxy found its port taken, ten times in a row")
    }

    deinit { stop() }

    /// Ends the proxy at once, and with it all its connections. Twice is fine.
    package func stop() {
        // Asked to end, it would first wait for its connections.
        process.stop(within: 0)
    }

    /// The request lines that it received, such as `GET http://localhost:80/ HTTP/1.1` or `CONNECT localhost:443 HTTP/1.1`,
    /// also of those that it refused.
    package var requests: [String] {
        Self.log(directory).split(separator: "\n").compactMap { line in
            guard line.hasPrefix("CONNECT "), let mark = line.range(of: "): ", options: .backwards),
                line.contains(": Request (")
            else { return nil }
            return String(line[mark.upperBound...])
        }
    }

    /// Waits until the proxy listens, or gives false if the port was taken in the meantime.
    private static func isListening(_ process: BackgroundProcess, _ directory: TemporaryDirectory) async throws -> Bool
    {
        try await waitUntil("tinyproxy listens") {
            let log = log(directory)
            if log.contains("Accepting connections") { return true }
            guard let termination = process.termination else { return nil }
            if process.output.contains("listening sockets") { return false }
            throw LabError("tinyproxy did not start (\(termination)): \(process.output) \(log)")
        }
    }

    /// A log that is not there yet is an empty one.
    private static func log(_ directory: TemporaryDirectory) -> String {
        String(decoding: FileManager.default.contents(atPath: directory.file("log").path) ?? Data(), as: UTF8.self)
    }

    private static func configuration(
        _ directory: TemporaryDirectory, _ port: UInt16, _ credentials: Credentials?
    ) -> String {
        """
        Port \(port)
        Listen 127.0.0.1
        Allow 127.0.0.1
        Timeout 600
        MaxClients 200
        LogLevel Info
        LogFile "\(directory.file("log").path)"
        \(credentials.map { "BasicAuth \($0.user) \($0.password)" } ?? "")

        """
    }
}
