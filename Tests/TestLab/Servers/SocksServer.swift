internal import NetCore

/// A real SOCKS5 proxy (microsocks) on loopback. It ends when its owner lets go of it, and when this process ends.
package final class SocksServer: Sendable {
    package let port: Int
    private let process: BackgroundProcess

    /// Starts a proxy and returns when it accepts connections.
    ///
    /// - Parameter credentials: required of clients; nil for a proxy without authentication.
    package init(credentials: ProxyServer.Credentials? = nil) async throws {
        let login = credentials.map { ["-u", $0.user, "-P", $0.password] } ?? []
        for _ in 0..<10 {
            let port = try freePort()
            let process = try BackgroundProcess("microsocks", ["-i", "127.0.0.1", "-p", "\(port)"] + login)
            let isListening = try await waitUntil("microsocks listens") {
                if process.termination != nil { return false }
                return accepts(port) ? true : nil
            }
            guard isListening else { continue }
            self.port = Int(port)
            self.process = process
            return
        }
        throw LabError("microsocks found its port taken, ten times in a row")
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
