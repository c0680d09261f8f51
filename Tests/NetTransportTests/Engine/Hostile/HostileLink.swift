#if os(Linux)
    import Testing

    @testable import NetTesting

    /// The server's end of a connection, plain or over TLS. One thread uses it, and waits.
    final class HostileLink: @unchecked Sendable {
        private let channel: Channel
        private var isClosed = false

        private var socket: Socket { channel.socket }

        /// Fails if OpenSSL gives no session.
        init?(_ socket: Socket, _ context: NetTesting.TLSContext?) {
            guard let channel = Channel(over: socket, context: context) else { return nil }
            self.channel = channel
            socket.sendWithoutDelay()
        }

        /// Returns the bytes that were read; nil at the end, after an error, and if there are none for so many milliseconds.
        func read(within milliseconds: Int32 = 20_000) -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let outcome = buffer.withUnsafeMutableBytes { channel.read(into: $0) }
                switch outcome {
                case .bytes(let count): return Array(buffer[..<count])
                case .wouldBlock: guard wait(POLLIN, milliseconds) else { return nil }
                case .ended, .failed: return nil
                }
            }
        }

        /// Returns false if the client has ended the connection.
        func write(_ bytes: some Collection<UInt8>) -> Bool {
            var rest = Array(bytes)[...]
            while !rest.isEmpty {
                switch rest.withUnsafeBytes({ channel.write($0) }) {
                case .bytes(let count): rest = rest.dropFirst(count)
                case .wouldBlock: guard wait(POLLOUT, 20_000) else { return false }
                case .ended, .failed: return false
                }
            }
            return true
        }

        /// Returns when the client's system has everything that was written.
        func waitUntilDelivered() {
            var left: Int32 = 1
            while ioctl(socket.descriptor, UInt(TIOCOUTQ), &left) == 0, left > 0 { usleep(100) }
        }

        /// Whether the client closes the connection, and sends nothing before that. Nil if it does neither for 20 seconds.
        func clientCloses() -> Bool? {
            var buffer = [UInt8](repeating: 0, count: 16)
            while true {
                switch buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
                case .bytes: return false
                case .wouldBlock: guard wait(POLLIN, 20_000) else { return nil }
                case .ended, .failed: return true
                }
            }
        }

        private func wait(_ events: Int32, _ milliseconds: Int32) -> Bool {
            var entry = pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
            while true {
                let count = poll(&entry, 1, milliseconds)
                if count >= 0 || errno != EINTR { return count > 0 }
            }
        }

        /// Ends the server's side, and takes what the client still sends.
        func closeAfterReading() {
            channel.shutdownWriting()
            while read() != nil {}
        }

        /// Tells the end of a body over TLS.
        func closeWriting() { channel.closeTLS() }
        func close() { end { $0.close() } }
        /// Closes the connection with RST.
        func reset() { end { $0.reset() } }

        private func end(_ action: (Socket) -> Void) {
            guard !isClosed else { return }
            isClosed = true
            action(socket)
        }
    }

    /// A listening socket whose connections ``HostileServer`` serves.
    final class HostileListener: Sendable {
        private let listener: Listener
        private let context: NetTesting.TLSContext?
        let url: URL

        /// - Parameter identity: nil for plain connections.
        init(_ identity: MockCertificate? = nil) throws {
            context = try identity.map { try NetTesting.TLSContext($0, clients: .notRequested, versions: .http1Only) }
            listener = try Listener()
            url = try #require(URL(string: "\(identity == nil ? "http" : "https")://127.0.0.1:\(listener.port)/"))
        }

        /// A listener without TLS whose only connection is served on a thread, which needs no ``stop()``.
        static func serving(_ serve: @escaping @Sendable (HostileLink) -> Void) throws -> HostileListener {
            let listener = try HostileListener()
            Thread { listener.accept().map(serve) }.start()
            return listener
        }

        /// A listener that reads the head of the first request before it serves the connection.
        static func answering(_ serve: @escaping @Sendable (HostileLink) -> Void) throws -> HostileListener {
            try serving { link in
                var reader = HostileRequestReader(link)
                if reader.head() != nil { serve(link) } else { link.close() }
            }
        }

        /// Waits for a connection. Returns nil after ``stop()``.
        func accept() -> HostileLink? {
            let accepted = Foundation.accept(listener.descriptor, nil, nil)
            return accepted < 0 ? nil : HostileLink(Socket(owning: accepted), context)
        }

        func stop() { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }
    }

    /// Reads the requests of one connection, as strictly as ``MockServer``.
    struct HostileRequestReader {
        private let link: HostileLink
        private var parser = RequestParser(keptBody: .max)
        private var rest: [UInt8] = []
        /// What is wrong with the bytes after which ``head()`` or ``body()`` returned nil.
        private(set) var violation: ProtocolError?

        init(_ link: HostileLink) { self.link = link }

        /// Nil at the end of the connection, and if no request follows.
        mutating func head() -> RequestHead? {
            parser = RequestParser(keptBody: .max)
            if rest.isEmpty { rest = link.read() ?? [] }
            // What else comes is more than the body of the request before. The parser ignores an empty line, and takes a token for a method.
            guard rest.isEmpty || (0x41...0x5A).contains(rest[0]) else {
                violation = ProtocolError(reason: "The request begins with \(rest.prefix(80)).")
                return nil
            }
            return read(until: .afterHead) ? parser.head : nil
        }

        /// Nil if the connection ended before the body did, and if the body is malformed.
        mutating func body() -> [UInt8]? {
            parser.startBody()
            return read(until: .complete) ? Array(parser.body.data) : nil
        }

        private mutating func read(until position: RequestParser.Position) -> Bool {
            do {
                while true {
                    let bytes = rest
                    rest.removeFirst(try bytes.withUnsafeBytes { try parser.consume($0) })
                    if parser.position == position { return true }
                    guard let more = link.read() else { return false }
                    rest += more
                }
            } catch {
                violation = error as? ProtocolError
                return false
            }
        }
    }

    extension RequestHead {
        /// The number of the exchange, from the target `/t12x`.
        var number: Int? {
            let isOurs = version == "HTTP/1.1" && target.hasPrefix("/t") && target.hasSuffix("x")
            return isOurs ? Int(target.dropFirst(2).dropLast()) : nil
        }
    }
#endif
