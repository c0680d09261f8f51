internal import NetCore

/// Returns a TCP port that is free on 127.0.0.1 and ::1.
///
/// It may be taken by the time it is used, so a caller that starts a server must be ready to try another.
package func freePort() throws -> UInt16 { try freePorts(1)[0] }

/// Returns that many different ports.
package func freePorts(_ count: Int) throws -> [UInt16] {
    // All sockets stay open until the last port is found, else the system could give the same one twice.
    var sockets: [Int32] = []
    defer { for each in sockets { close(each) } }
    var ports: [UInt16] = []
    for _ in 0..<100 where ports.count < count {
        let first = try LoopbackSocket.bind(port: 0, family: .v4)
        sockets.append(first.descriptor)
        if LoopbackSocket.hasIPv6 {
            guard let second = try? LoopbackSocket.bind(port: first.port, family: .v6) else { continue }
            sockets.append(second.descriptor)
        }
        ports.append(first.port)
    }
    guard ports.count == count else { throw LabError("No \(count) free ports") }
    return ports
}

/// A TCP socket bound to a loopback address.
enum LoopbackSocket {
    enum Family { case v4, v6 }

    /// Whether this machine has ::1. Containers often have not.
    static let hasIPv6: Bool = {
        guard let socket = try? bind(port: 0, family: .v6) else { return false }
        close(socket.descriptor)
        return true
    }()

    static func bind(port: UInt16, family: Family) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(family == .v4 ? AF_INET : AF_INET6, SocketConstant.stream, 0)
        guard descriptor >= 0 else { throw LabError.system("socket") }
        var bound: UInt16?
        switch family {
        case .v4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            bound = named(descriptor, &address) { UInt16(bigEndian: $0.sin_port) }
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            bound = named(descriptor, &address) { UInt16(bigEndian: $0.sin6_port) }
        }
        guard let bound else {
            let error = LabError.system("bind")
            close(descriptor)
            throw error
        }
        return (descriptor, bound)
    }

    /// Binds to the address and reads back what the system made of it.
    private static func named<Address>(
        _ descriptor: Int32, _ address: inout Address, port: (Address) -> UInt16
    ) -> UInt16? {
        var length = socklen_t(MemoryLayout<Address>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemBind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isBound ? port(address) : nil
    }
}

private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}
