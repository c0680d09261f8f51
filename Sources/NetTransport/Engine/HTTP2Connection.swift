#if os(Linux)
    import CLibcurl
    import NetCore

    /// HTTP/2 over a connection: many exchanges at once (RFC 9113).
    final class HTTP2Connection: Connection.Handler {
        private let connection: Connection
        private let session: HTTP2Session
        /// The exchanges that have received something in this turn.
        var touched: [HTTP2Exchange] = []
        /// When bytes were received last.
        private var lastReceived: Int64
        /// When a server that was asked whether it is there counts as lost; 0 while it is not asked. New requests go elsewhere meanwhile.
        private var answerDue: Int64 = 0

        /// The bytes that one connection may receive in a turn, before the others have theirs.
        private static let bytesPerTurn = 256 * 1024
        /// How long a server may be silent before it is asked, and how long it has to answer, in nanoseconds.
        private static let silence: Int64 = 1_000_000_000, answerTime: Int64 = 5_000_000_000

        /// Nil without memory.
        init?(_ connection: Connection) {
            let defaults = connection.engine.defaults
            // The bytes that a server may send ahead of the reader of one stream: enough for a reader that reports half of them late.
            let window = Int32(clamping: max(64 * 1024, defaults.streamBufferBytes * 4))
            guard
                let session = HTTP2Session(
                    streamWindow: window, headLimit: defaults.headerBytes, now: connection.loop.now)
            else { return nil }
            self.connection = connection
            self.session = session
            lastReceived = connection.loop.now
        }

        private var loop: EventLoop { connection.loop }

        /// Sends an exchange, at the end of the turn.
        func carry(_ exchange: HTTPExchange) {
            exchange.isReused = session.exchangeCount > 0
            let request = exchange.request
            let stream = HTTP2Exchange(exchange, over: self)
            // After an idle time: if the server has closed the connection, it is noticed before the request is sent.
            if session.streamCount == 0, connection.mayRead, exchange.isReused { receive() }
            guard connection.isOpen, !session.isDraining,
                session.submit(stream, request.http2Request(for: exchange), now: loop.now)
            else {
                if connection.isOpen {
                    tellPool()
                    loop.noteBusy(connection)
                }
                return exchange.startAgain(on: loop)
            }
            exchange.carrier = stream
            connection.idleSince = 0
            exchange.phase = .sending
            exchange.touch(loop.now)
            exchange.noteDue(on: loop)
            loop.noteBusy(connection)
        }

        // MARK: Bytes

        func read(_ connection: Connection) {
            receive()
            flush()
        }

        func write(_ connection: Connection) {
            flush()
        }

        /// Returns whether it left bytes for the next turn.
        @discardableResult
        private func receive() -> Bool {
            var total = 0
            while connection.isOpen {
                guard total < Self.bytesPerTurn else {
                    loop.noteBusy(connection)
                    deliver()
                    return true
                }
                let moved = connection.receive(into: loop.buffer)
                if case .none = moved { break }
                switch moved {
                case .none: break
                case .bytes(let count):
                    total += count
                    noteReceived()
                    session.receive(UnsafeRawBufferPointer(rebasing: loop.buffer[..<count]), now: loop.now)
                case .end(let end):
                    deliver()
                    lost(end)
                    return false
                }
            }
            deliver()
            return false
        }

        private func deliver() {
            guard !touched.isEmpty else { return }
            let current = touched
            touched.removeAll(keepingCapacity: true)
            for stream in current { stream.deliver() }
        }

        /// Sends what there is to send, tells the pool what has changed, and closes the connection if it is over.
        func flush() {
            var failure: Connection.End?
            session.flush(now: loop.now) { output in
                switch connection.send(output, UnsafeRawBufferPointer(start: nil, count: 0)) {
                case .none: return 0
                case .bytes(let count): return count
                case .end(let end):
                    failure = end
                    return 0
                }
            }
            if let failure {
                // A server that closes the connection sends the reason first.
                repeat { connection.expectMore() } while receive()
                return lost(failure)
            }
            guard connection.isOpen else { return }
            if session.streamCount == 0 {
                if connection.idleSince == 0 {
                    connection.idleSince = loop.now
                    loop.noteDue(loop.now + EventLoop.sweepInterval)
                }
            }
            if session.nextDue != .max { loop.noteDue(session.nextDue) }
            tellPool()
            if session.isOver, session.isSettled || session.isDraining || session.exchangeCount > 0 { close() }
        }

        private func tellPool() {
            guard session.hasNews else { return }
            session.hasNews = false
            if session.isSettled, session.streamLimit == 0 {
                session.endUnsent(
                    message: "The server allows no stream at all (SETTINGS_MAX_CONCURRENT_STREAMS is 0).")
            }
            let isOut = session.isDraining || answerDue > 0
            let capacity = isOut ? 0 : session.isSettled ? max(1, session.streamLimit) : 1
            connection.engine.begin(connection.engine.pool.update(connection, capacity: capacity))
        }

        private func lost(_ end: Connection.End) {
            guard connection.isOpen else { return }
            connection.engine.pool.remove(connection)
            session.connectionLost(errno: end.osError, message: end.message, now: loop.now)
            connection.close()
        }

        private func close() {
            connection.engine.pool.remove(connection)
            sayGoodbye()
            connection.close()
        }

        /// Says goodbye before the connection is closed.
        func sayGoodbye() {
            session.close(now: loop.now) { output in
                if case .bytes(let count) = connection.send(output, UnsafeRawBufferPointer(start: nil, count: 0)) {
                    count
                } else {
                    0
                }
            }
        }

        // MARK: Connection.Handler

        func connectionEnded(_ connection: Connection, _ end: Connection.End) {
            session.connectionLost(errno: end.osError, message: end.message, now: loop.now)
        }

        func checkTime(_ connection: Connection) {
            if answerDue > 0 {
                guard loop.now < answerDue else { return lost(Connection.End(errno: ETIMEDOUT)) }
                loop.noteDue(answerDue)
            }
            if loop.now >= session.nextDue {
                session.fire(now: loop.now)
                flush()
            } else if session.nextDue != .max {
                loop.noteDue(session.nextDue)
            }
        }

        // MARK: For streams

        func touch(_ stream: HTTP2Exchange) {
            touched.append(stream)
        }

        func consumed(_ stream: HTTP2Exchange, bytes: Int) {
            session.consumed(stream, bytes: bytes)
            loop.noteBusy(connection)
        }

        func resumeBody(of stream: HTTP2Exchange) {
            session.resumeBody(of: stream)
            loop.noteBusy(connection)
        }

        /// Gives a stream up.
        ///
        /// - Parameter lastActivity: when it was sent or received last.
        func cancel(_ stream: HTTP2Exchange, lastActivity: Int64) {
            session.cancel(stream)
            if lastReceived <= lastActivity, loop.now - lastActivity >= Self.silence { ask() }
            loop.noteBusy(connection)
        }

        /// Asks a silent server whether it is there (RFC 9113, section 6.7): a path that is lost tells nothing else.
        private func ask() {
            guard answerDue == 0, !session.isDraining, session.ping() else { return }
            answerDue = loop.now + Self.answerTime
            loop.noteDue(answerDue)
            session.hasNews = true
            // At once: the caller that is about to be told may send its next request.
            tellPool()
        }

        private func noteReceived() {
            lastReceived = loop.now
            guard answerDue > 0 else { return }
            answerDue = 0
            session.hasNews = true
        }

        var now: Int64 { loop.now }
        var eventLoop: EventLoop { loop }
    }
#endif
