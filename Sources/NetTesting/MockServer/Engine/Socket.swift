import NetCore

/// A stream socket. It never blocks, never raises `SIGPIPE`, and child processes do not inherit it.
struct Socket: Sendable {
    enum Outcome: Equatable {
        case bytes(Int)
        case wouldBlock
        /// The peer will send no more bytes.
        case ended
        case failed(Int32)
    }

    let descriptor: Int32

    /// Takes over a descriptor and sets it up.
    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
            set(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if errno != EINTR { return Self.outcome(of: errno) }
        }
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let count = send(descriptor, buffer.baseAddress, buffer.count, SocketConstant.sendFlags)
            if count >= 0 { return .bytes(count) }
            if errno != EINTR { return Self.outcome(of: errno) }
        }
    }

    private static func outcome(of code: Int32) -> Outcome {
        code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(code)
    }

    /// Sends small writes at once, so that a test of latency does not measure Nagle's algorithm.
    func sendWithoutDelay() { set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1)) }

    /// Sends FIN: the peer reads the end of the stream, and may still write.
    func shutdownWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { _ = Foundation.close(descriptor) }

    /// Closes with RST instead of FIN. A Unix-domain socket has no RST and is just closed.
    func reset() {
        set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    /// Closes the socket and throws if a system call failed.
    func check(_ call: String, _ result: Int32) throws {
        guard result != 0 else { return }
        let code = errno
        close()
        throw NetTestingError.system(call: call, code: code)
    }

    func set<Value>(_ level: Int32, _ option: Int32, _ value: Value) {
        withUnsafeBytes(of: value) { bytes in
            _ = setsockopt(descriptor, level, option, bytes.baseAddress, socklen_t(bytes.count))
        }
    }
}

/// A listening socket, on a loopback port that the system chose or on a path in the file system.
struct Listener: Sendable {
    enum Accepted {
        case connection(Socket)
        case nothing
        /// The process is out of descriptors or memory. The connection stays in the queue.
        case exhausted
    }

    let socket: Socket
    /// Zero for a Unix-domain socket.
    let port: Int
    let path: String?

    /// Enough for a test that opens hundreds of connections at once. The system may lower it.
    private static let backlog: Int32 = 1024

    /// - Parameter accepts: false reserves the port, and the system refuses connections to it.
    static func loopback(accepts: Bool = true) throws -> Listener {
        var address = sockaddr_in()
        #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let socket = try open(AF_INET, at: address, accepts: accepts)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.descriptor, $0, &length) }
        }
        try socket.check("getsockname", result)
        return Listener(socket: socket, port: Int(UInt16(bigEndian: address.sin_port)), path: nil)
    }

    static func unixDomain(path: String) throws -> Listener {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        // A NUL ends the path.
        guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
            throw NetTestingError.pathTooLong(limit: capacity - 1)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return Listener(socket: try open(AF_UNIX, at: address), port: 0, path: path)
    }

    private static func open<Address>(_ family: Int32, at address: Address, accepts: Bool = true) throws -> Socket {
        let descriptor = Foundation.socket(family, SocketConstant.stream, 0)
        guard descriptor >= 0 else { throw NetTestingError.system(call: "socket", code: errno) }
        let socket = Socket(owning: descriptor)
        let length = socklen_t(MemoryLayout<Address>.size)
        let bound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try socket.check("bind", bound)
        if accepts { try socket.check("listen", Foundation.listen(descriptor, backlog)) }
        return socket
    }

    func accept() -> Accepted {
        while true {
            let descriptor = Foundation.accept(socket.descriptor, nil, nil)
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

/// The events of `poll` by which the kernels report the end of a connection.
enum PollEvents {
    #if os(Linux)
        /// `POLLRDHUP`, which Swift's Glibc module lacks.
        static let peerShut: Int16 = 0x2000
        private static let shut = peerShut
        /// `POLLHUP` means that both directions are shut, so that nothing can be sent any more.
        private static let lost = Int16(POLLERR | POLLHUP | POLLNVAL)
    #else
        /// None: the kernel reports `POLLHUP` without being asked.
        static let peerShut: Int16 = 0
        private static let shut = Int16(POLLHUP)
        private static let lost = Int16(POLLERR | POLLNVAL)
    #endif

    static func peerHasShut(_ events: Int16) -> Bool { events & shut != 0 }

    static func isLost(_ events: Int16) -> Bool { events & lost != 0 }
}
