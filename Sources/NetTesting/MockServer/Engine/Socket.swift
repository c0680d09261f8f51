import NetCore

/// One stream socket: never blocks, never raises `SIGPIPE`, is not inherited by child processes.
struct Socket: Sendable {
    enum Outcome: Equatable {
        case bytes(Int)
        case wouldBlock
        /// The peer has sent all that it will send.
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

    /// Small writes leave at once: a test of latency should not measure Nagle's algorithm.
    func sendWithoutDelay() {
        set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    }

    /// Sends FIN: the peer reads the end of the stream, and may still write.
    func shutdownWriting() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        System.closeDescriptor(descriptor)
    }

    /// Closes with RST instead of FIN. A Unix-domain socket knows no such thing and is just closed.
    func reset() {
        set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    func set<Value>(_ level: Int32, _ option: Int32, _ value: Value) {
        withUnsafeBytes(of: value) { bytes in
            _ = setsockopt(descriptor, level, option, bytes.baseAddress, socklen_t(bytes.count))
        }
    }
}
