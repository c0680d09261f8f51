import NetCore

/// What a connection is read from and written to: its socket, or TLS over it.
struct Channel {
    let socket: Socket
    private let tls: TLSSession?

    /// Nil if OpenSSL gives no session: better no connection than plain text where TLS was asked for.
    init?(over socket: Socket, context: TLSContext?) {
        self.socket = socket
        tls = context?.session(over: socket)
        if tls == nil, context != nil { return nil }
    }

    /// Whether there is something to read that `poll` does not report.
    var hasPendingBytes: Bool { tls?.hasPendingBytes ?? false }

    /// What ALPN chose; nil without TLS, and before the handshake.
    var applicationProtocol: String? { tls?.applicationProtocol }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Outcome {
        tls?.read(into: buffer) ?? socket.read(into: buffer)
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Socket.Outcome {
        tls?.write(buffer) ?? socket.write(buffer)
    }

    /// The peer reads the end of the stream, and may still write.
    func shutdownWriting() {
        tls?.closeWriting()
        socket.shutdownWriting()
    }

    func close() {
        tls?.closeWriting()
        socket.close()
    }

    func reset() { socket.reset() }
}
