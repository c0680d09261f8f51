#if os(Linux)
    import CLibcurl
    import NetCore

    /// An open connection: its bytes, over TLS or plain, and its life. What the bytes mean is its handler's business.
    ///
    /// All of it belongs to its loop, except `place`, which belongs to the pool.
    final class Connection: Listed, @unchecked Sendable {
        // Unchecked: see above.

        /// What reads and writes a connection.
        protocol Handler: AnyObject {
            /// There may be bytes to receive. Reads until ``Connection/receive(into:)`` returns none.
            func read(_ connection: Connection)
            /// There may be room to send.
            func write(_ connection: Connection)
            func checkTime(_ connection: Connection)
        }

        /// How a connection ended.
        struct End: Sendable {
            var osError: Int32 = 0
            /// What the system or TLS says, or an empty string.
            var message = ""
            /// Whether an alert of TLS is about the client's certificate.
            var isAboutClientCertificate = false
            /// Whether TLS ended without `close_notify`, so that bytes may be missing.
            var isTruncated = false
        }

        /// The bytes that were received or sent.
        enum Moved {
            case bytes(Int)
            /// Nothing more at the moment.
            case none
            /// The peer has ended its side.
            case end(End)
        }

        let descriptor: Int32
        let loop: EventLoop
        let engine: Engine
        var tls: TLSSession?
        /// Nil while it is idle.
        var handler: (any Handler)?
        /// What responses tell about the connection.
        var facts: ConnectionBox?
        /// The index among the loop's connections; -1 if it is closed.
        var index = -1
        /// Whether it is among the loop's busy ones.
        var isBusy = false
        /// Whether the system may have bytes, or room, that was not used.
        private(set) var mayRead = false, mayWrite = true
        /// Whether the end of what the peer sends has arrived, of which the system does not tell again.
        private var hasEnded = false
        /// Of the pool, under its lock.
        var place = Pool.ConnectionPlace()
        /// When it became idle; 0 while it is used.
        var idleSince: Int64 = 0 {
            didSet {
                guard idleSince > 0, tls != nil else { return }
                holdsRecords = true
                loop.noteDue(idleSince + EventLoop.sweepInterval)
            }
        }
        /// Whether TLS may hold memory for records.
        private var holdsRecords = false
        /// The time after which the server may close it while it is idle, in nanoseconds.
        var idleLimit = Connection.usualIdleLimit
        /// How it speaks HTTP, from its first exchange on.
        private var http1: HTTP1Connection?
        private var http2: HTTP2Connection?

        /// libcurl's default for idle connections.
        static let usualIdleLimit: Int64 = 118 * 1_000_000_000
        /// The time after which the system is asked again about an idle connection, in nanoseconds.
        private static let longTurn: Int64 = 500_000

        init(descriptor: Int32, loop: EventLoop, engine: Engine) {
            self.descriptor = descriptor
            self.loop = loop
            self.engine = engine
        }

        var isOpen: Bool { index >= 0 }
        var isIdle: Bool { idleSince > 0 && isOpen }

        // MARK: The loop

        /// Notes that the system has told something of the connection.
        func note(_ events: Int) {
            if events & Int(NC_POLL_READABLE) != 0 { mayRead = true }
            if events & Int(NC_POLL_WRITABLE) != 0 { mayWrite = true }
            if events & Int(NC_POLL_ENDED) != 0 { hasEnded = true }
        }

        /// Lets the handler use what is ready.
        func serve() {
            guard isOpen else { return }
            guard let handler else { return noticeWhileIdle() }
            if mayWrite { handler.write(self) }
            if mayRead, isOpen { self.handler?.read(self) }
        }

        func checkTime() {
            handler?.checkTime(self)
            guard holdsRecords, isIdle else { return }
            let due = idleSince + EventLoop.sweepInterval
            guard loop.now >= due else { return loop.noteDue(due) }
            holdsRecords = false
            tls?.releaseBuffers()
        }

        /// An idle connection has no reason to receive anything but its end, or a message of TLS such as a session ticket.
        func noticeWhileIdle() {
            guard mayRead else { return }
            if case .none = receive(into: loop.headBuffer) { return }
            close()
        }

        /// Whether the peer has not ended the connection, as far as the system has told the loop in this turn.
        var isAlive: Bool {
            guard isOpen, handler == nil else { return isOpen }
            // Bytes that have arrived since then would be taken for the response to the next request.
            if loop.mayHaveMissedEvents || nc_clock() - loop.now > Self.longTurn { mayRead = true }
            noticeWhileIdle()
            return isOpen
        }

        // MARK: Exchanges

        /// Sends an exchange. A connection with HTTP/1.1 is idle.
        func carry(_ exchange: HTTPExchange) {
            if let http2 { return http2.carry(exchange) }
            let isFirst = http1 == nil
            let http1 = self.http1 ?? HTTP1Connection(self)
            self.http1 = http1
            http1.carry(exchange, isFirst: isFirst)
        }

        /// Begins HTTP/2. Returns false without memory.
        func speakHTTP2() -> Bool {
            http2 = HTTP2Connection(self)
            handler = http2
            return http2 != nil
        }

        // MARK: Bytes

        /// Has the next ``receive(into:)`` ask the system, though it has told of nothing new.
        func expectMore() {
            mayRead = true
        }

        /// Receives bytes into a buffer.
        func receive(into buffer: UnsafeMutableRawBufferPointer) -> Moved {
            guard mayRead, let start = buffer.baseAddress, !buffer.isEmpty else { return .none }
            if let tls {
                switch tls.read(into: buffer) {
                case .bytes(let count):
                    if tls.hasReadAll, !hasEnded { mayRead = false }
                    return .bytes(count)
                case .wantsRead:
                    mayRead = false
                    return .none
                // OpenSSL may hold more, which it gives once it has sent what it has to.
                case .wantsWrite: return .none
                case .closed: return .end(End())
                case .failed(let failure): return .end(End(failure))
                }
            }
            while true {
                let count = recv(descriptor, start, buffer.count, 0)
                if count > 0 {
                    // The system tells when there is more.
                    if count < buffer.count, !hasEnded { mayRead = false }
                    return .bytes(count)
                }
                if count == 0 { return .end(End()) }
                if errno == EINTR { continue }
                mayRead = false
                if errno == EAGAIN || errno == EWOULDBLOCK { return .none }
                return .end(End(errno: errno))
            }
        }

        /// Sends bytes of two buffers, in one call where possible.
        func send(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer = .init(start: nil, count: 0)) -> Moved
        {
            guard mayWrite else { return .none }
            if let tls {
                switch tls.write(head.isEmpty ? body : head) {
                case .bytes(let count): return .bytes(count)
                case .wantsRead, .wantsWrite:
                    mayWrite = false
                    return .none
                case .closed: return .end(End())
                case .failed(let failure): return .end(End(failure))
                }
            }
            while true {
                let count: Int
                if body.isEmpty || head.isEmpty {
                    let bytes = head.isEmpty ? body : head
                    count = Foundation.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                } else {
                    var parts = [
                        iovec(iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count),
                        iovec(iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress), iov_len: body.count),
                    ]
                    count = parts.withUnsafeMutableBufferPointer { parts in
                        var message = msghdr()
                        message.msg_iov = parts.baseAddress
                        message.msg_iovlen = .init(parts.count)
                        return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                    }
                }
                if count >= 0 {
                    if count < head.count + body.count { mayWrite = false }
                    return .bytes(count)
                }
                if errno == EINTR { continue }
                mayWrite = false
                if errno == EAGAIN || errno == EWOULDBLOCK { return .none }
                return .end(End(errno: errno))
            }
        }

        // MARK: The end

        /// Closes a connection that carries nothing.
        func retire() {
            http2?.sendGoAway()
            close()
        }

        /// Closes the descriptor. The pool forgets the connection.
        func close() {
            guard isOpen else { return }
            engine.pool.remove(self)
            loop.remove(self)
            handler = nil
            (http1, http2) = (nil, nil)
            tls?.shutdown()
            tls = nil
            // The number may be that of another descriptor from now on.
            (mayRead, mayWrite) = (false, false)
            Foundation.close(descriptor)
        }
    }

    extension Connection.End {
        init(errno code: Int32) {
            self.init(osError: code, message: String(cString: strerror(code)))
        }

        init(_ failure: TLSFailure) {
            self.init(
                osError: failure.osError, message: failure.message,
                isAboutClientCertificate: failure.isAboutClientCertificate, isTruncated: true)
        }
    }
#endif
