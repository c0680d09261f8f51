import NetCore

/// A listening socket, on a loopback port that the system chose or on a path in the file system.
struct Listener: Sendable {
    enum Accepted {
        case connection(Socket)
        case nothing
        /// The process is out of descriptors or memory: the connection stays in the queue.
        case exhausted
    }

    let socket: Socket
    /// Zero for a Unix-domain socket.
    let port: Int
    let path: String?

    /// Enough for a test that opens hundreds of connections at once; the system may take it down to its own limit.
    private static let backlog: Int32 = 1024

    static func loopback() throws -> Listener {
        var address = sockaddr_in()
        #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let socket = try listen(AF_INET, to: address)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket.descriptor, $0, &length)
            }
        }
        guard result == 0 else {
            let code = errno
            socket.close()
            throw NetTestingError.system(call: "getsockname", code: code)
        }
        return Listener(socket: socket, port: Int(UInt16(bigEndian: address.sin_port)), path: nil)
    }

    static func unixDomain(path: String) throws -> Listener {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        // One byte stays free for the NUL that ends the path.
        guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
            throw NetTestingError.pathTooLong(limit: capacity - 1)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return Listener(socket: try listen(AF_UNIX, to: address), port: 0, path: path)
    }

    private static func listen<Address>(_ family: Int32, to address: Address) throws -> Socket {
        let descriptor = System.makeSocket(family)
        guard descriptor >= 0 else { throw NetTestingError.system(call: "socket", code: errno) }
        let socket = Socket(owning: descriptor)
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard bound == 0 else {
            let code = errno
            socket.close()
            throw NetTestingError.system(call: "bind", code: code)
        }
        guard System.startListening(descriptor, backlog: backlog) == 0 else {
            let code = errno
            socket.close()
            throw NetTestingError.system(call: "listen", code: code)
        }
        return socket
    }

    func accept() -> Accepted {
        while true {
            let descriptor = System.acceptConnection(socket.descriptor)
            if descriptor >= 0 {
                let connection = Socket(owning: descriptor)
                if path == nil { connection.sendWithoutDelay() }
                return .connection(connection)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .nothing
            }
        }
    }

    func close() {
        socket.close()
        if let path { _ = unlink(path) }
    }
}
