import NetCore

/// The bytes of a connection: its socket, or TLS over it.
struct Channel {
    let socket: Socket
    private let tls: TLSSession?

    /// Fails if OpenSSL gives no session, since a TLS server must not send plain text.
    init?(over socket: Socket, context: TLSContext?) {
        self.socket = socket
        tls = context?.session(over: socket)
        if tls == nil, context != nil { return nil }
    }

    /// Whether there are bytes to read that `poll` does not report.
    var hasPendingBytes: Bool { tls?.hasPendingBytes ?? false }

    /// The protocol that ALPN chose; nil without TLS, and before the handshake.
    var applicationProtocol: String? { tls?.applicationProtocol }

    /// The certificate that the client showed in the handshake, in DER.
    var clientCertificate: Data? { tls?.clientCertificate }

    /// Whether TLS failed. Bytes that follow are read from the socket, to be dropped.
    var isBroken: Bool { tls?.isBroken ?? false }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Outcome {
        guard let tls, !tls.isBroken else { return socket.read(into: buffer) }
        return tls.read(into: buffer)
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Socket.Outcome {
        tls?.write(buffer) ?? socket.write(buffer)
    }

    /// Ends the stream to the peer, which may still write.
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

/// A queue of bytes in raw memory, which unlike an array is as fast in debug builds. Sockets read directly into it.
final class ByteQueue {
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// Whether the last read filled the storage, so that more would make an upload faster.
    private var wasFilled = false

    private static let largest = 256 << 10

    init(capacity: Int = 8 << 10) {
        storage = .allocate(byteCount: capacity, alignment: 1)
    }

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
    func receive(from channel: Channel, limit: Int = largest) -> Socket.Outcome {
        makeRoom()
        let room = UnsafeMutableRawBufferPointer(rebasing: storage[end..<(end + min(limit, storage.count - end))])
        let outcome = channel.read(into: room)
        if case .bytes(let count) = outcome {
            end += count
            wasFilled = count == room.count
        }
        return outcome
    }

    /// Moves the bytes to the front, and enlarges the storage if it is crowded or was filled by a read.
    private func makeRoom(for new: Int = 0) {
        guard new == 0 || new > storage.count - end else { return }
        let isCrowded = count + new > storage.count / 2
        let isSmall = wasFilled && storage.count < Self.largest
        guard isCrowded || isSmall || start > storage.count / 2 else { return }
        let target =
            isCrowded || isSmall
            ? UnsafeMutableRawBufferPointer.allocate(byteCount: max(storage.count, count + new) * 2, alignment: 1)
            : storage
        if let destination = target.baseAddress, let source = storage.baseAddress {
            memmove(destination, source + start, count)
        }
        if target.baseAddress != storage.baseAddress {
            storage.deallocate()
            storage = target
        }
        end = count
        start = 0
        wasFilled = false
    }
}
