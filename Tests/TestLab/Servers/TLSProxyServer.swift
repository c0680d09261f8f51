internal import NetCore

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
        for _ in 0..<10 {
            let port = try freePort()
            let file = directory.file("stunnel.conf")
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
            let process = try BackgroundProcess("stunnel", [file.path])
            let isListening = try await waitUntil("stunnel listens") {
                if process.output.contains("Configuration successful") { return true }
                guard process.termination != nil else { return nil }
                if process.output.contains("Address already in use") { return false }
                throw LabError("stunnel did not start: \(process.output)")
            }
            guard isListening else { continue }
            self.port = Int(port)
            self.process = process
            return
        }
        throw LabError("stunnel found its port taken, ten times in a row")
    }
}
