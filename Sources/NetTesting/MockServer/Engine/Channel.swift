import NetCore

/// The bytes of a connection: its socket, or TLS over it. The loop thread blocks signals, since OpenSSL's writes may raise `SIGPIPE`.
final class Channel {
    typealias Session = (openSSL: OpenSSL, session: OpenSSL.Object)

    let socket: Socket
    private let tls: Session?
    /// Whether TLS had a fatal error, after which the session can only be freed. Bytes that follow are read from the socket, to be dropped.
    private(set) var isBroken = false

    /// Fails if OpenSSL gives no session, since a TLS server must not send plain text.
    init?(over socket: Socket, context: TLSContext?) {
        self.socket = socket
        tls = context?.makeSession()
        guard let (openSSL, session) = tls else {
            if context == nil { return }
            return nil
        }
        guard openSSL.SSL_set_fd(session, socket.descriptor) == 1 else { return nil }
        openSSL.SSL_set_accept_state(session)
    }

    deinit { tls?.openSSL.SSL_free(tls?.session) }

    /// The session; nil without TLS, and if it is broken.
    private var usable: Session? { isBroken ? nil : tls }

    /// Whether there are bytes that `poll` does not report, since they were read from the socket.
    var hasPendingBytes: Bool { usable.map { $0.openSSL.SSL_pending($0.session) > 0 } ?? false }

    /// The protocol that ALPN chose; nil without TLS, before the handshake, and if the client offered none.
    var applicationProtocol: String? { usable.flatMap { ALPN.chosen(on: $0.session, $0.openSSL) } }

    /// The certificate that the client showed in the handshake, in DER.
    var clientCertificate: Data? {
        guard let (openSSL, session) = usable, let certificate = openSSL.SSL_get1_peer_certificate(session) else {
            return nil
        }
        defer { openSSL.X509_free(certificate) }
        var der = Data(count: Int(max(0, openSSL.i2d_X509(certificate, nil))))
        let count = der.withUnsafeMutableBytes { bytes in
            var position = bytes.bindMemory(to: UInt8.self).baseAddress
            return position == nil ? 0 : openSSL.i2d_X509(certificate, &position)
        }
        return count > 0 ? der : nil
    }

    /// Reads bytes, which TLS decrypts. The first calls do the handshake.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Outcome {
        guard let (openSSL, session) = usable else { return socket.read(into: buffer) }
        return outcome { openSSL.SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count)) }
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Socket.Outcome {
        guard let (openSSL, session) = tls else { return socket.write(buffer) }
        return outcome { openSSL.SSL_write(session, buffer.baseAddress, Int32(clamping: buffer.count)) }
    }

    private func outcome(_ call: () -> Int32) -> Socket.Outcome {
        guard let (openSSL, session) = usable else { return .failed(0) }
        // The queue of errors belongs to the thread, and an error of another connection would be taken for this one's.
        openSSL.ERR_clear_error()
        let count = call()
        if count > 0 { return .bytes(Int(count)) }
        switch openSSL.SSL_get_error(session, count) {
        case 2, 3: return .wouldBlock
        case 6: return .ended
        default:
            isBroken = true
            return .failed(0)
        }
    }

    /// Ends the stream to the peer, which may still write.
    func shutdownWriting() {
        closeTLS()
        socket.shutdownWriting()
    }

    func close() {
        closeTLS()
        socket.close()
    }

    /// Sends close_notify, which tells the end of a body from a cut connection (RFC 8446, section 6.1).
    func closeTLS() {
        guard let (openSSL, session) = usable else { return }
        openSSL.ERR_clear_error()
        _ = openSSL.SSL_shutdown(session)
        openSSL.ERR_clear_error()
    }
}

/// A queue of bytes in raw memory, which unlike an array is as fast in debug builds. Sockets read directly into it.
final class ByteQueue {
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    init() { storage = .allocate(byteCount: 8 << 10, alignment: 1) }

    deinit { storage.deallocate() }

    var count: Int { end - start }
    var isEmpty: Bool { start == end }

    /// Valid until the queue changes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

    func dropFirst(_ count: Int) {
        start += min(count, end - start)
        if start == end { removeAll() }
    }

    func removeAll() {
        start = 0
        end = 0
    }

    func append(_ data: some ContiguousBytes) {
        data.withUnsafeBytes { bytes in
            makeRoom(for: bytes.count)
            guard let destination = storage.baseAddress, let source = bytes.baseAddress else { return }
            memcpy(destination + end, source, bytes.count)
            end += bytes.count
        }
    }

    /// Reads from the channel, `limit` bytes at most.
    func receive(from channel: Channel, limit: Int = 64 << 10) -> Socket.Outcome {
        let limit = min(limit, 64 << 10)
        makeRoom(for: limit)
        let outcome = channel.read(into: UnsafeMutableRawBufferPointer(rebasing: storage[end..<(end + limit)]))
        if case .bytes(let count) = outcome { end += count }
        return outcome
    }

    /// Moves the bytes to the front, of a larger storage if this one would be more than half full.
    private func makeRoom(for new: Int) {
        guard new > storage.count - end else { return }
        let old = storage
        if count + new > old.count / 2 { storage = .allocate(byteCount: (count + new) * 2, alignment: 1) }
        if let destination = storage.baseAddress, let source = old.baseAddress {
            memmove(destination, source + start, count)
        }
        if storage.baseAddress != old.baseAddress { old.deallocate() }
        end = count
        start = 0
    }
}
