#if os(Linux)
    import CLibcurl
    import NetCore

    /// HTTP/2 over a connection: many exchanges at once (RFC 9113).
    final class HTTP2Connection: Connection.Handler {
        private let connection: Connection
        private let session: HTTP2Session
        /// The exchanges that have received something in this turn.
        fileprivate var touched: [HTTP2Exchange] = []
        /// What the pool was told last.
        private var capacity = 1

        /// The bytes that one connection may receive in a turn, before the others have theirs.
        private static let bytesPerTurn = 256 * 1024

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
                if connection.isOpen { tellPool() }
                connection.engine.pool.lostBeforeUse(exchange)
                exchange.connection = nil
                return exchange.open(on: loop)
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

        private func receive() {
            var total = 0
            while connection.isOpen {
                guard total < Self.bytesPerTurn else {
                    loop.noteBusy(connection)
                    break
                }
                let moved = connection.receive(into: loop.buffer)
                if case .none = moved { break }
                switch moved {
                case .none: break
                case .bytes(let count):
                    total += count
                    session.receive(UnsafeRawBufferPointer(rebasing: loop.buffer[..<count]), now: loop.now)
                case .end(let end):
                    deliver()
                    lost(end)
                    return
                }
            }
            deliver()
        }

        private func deliver() {
            guard !touched.isEmpty else { return }
            let current = touched
            touched.removeAll(keepingCapacity: true)
            for stream in current { stream.deliver() }
        }

        /// Sends what there is to send, tells the pool what has changed, and closes the connection if it is over.
        fileprivate func flush() {
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
                connection.expectMore()
                receive()
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
            let capacity = session.isDraining ? 0 : session.isSettled ? max(1, session.streamLimit) : 1
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
            if loop.now >= session.nextDue {
                session.fire(now: loop.now)
                flush()
            } else if session.nextDue != .max {
                loop.noteDue(session.nextDue)
            }
        }

        // MARK: For streams

        fileprivate func touch(_ stream: HTTP2Exchange) {
            touched.append(stream)
        }

        fileprivate func consumed(_ stream: HTTP2Exchange, bytes: Int) {
            session.consumed(stream, bytes: bytes)
            loop.noteBusy(connection)
        }

        fileprivate func resumeBody(of stream: HTTP2Exchange) {
            session.resumeBody(of: stream)
            loop.noteBusy(connection)
        }

        fileprivate func cancel(_ stream: HTTP2Exchange) {
            session.cancel(stream)
            loop.noteBusy(connection)
        }

        fileprivate var now: Int64 { loop.now }
        fileprivate var eventLoop: EventLoop { loop }
    }

    /// An exchange as a stream of HTTP/2.
    final class HTTP2Exchange: HTTP2Stream, ExchangeCarrier {
        private let exchange: HTTPExchange
        private let carrier: HTTP2Connection
        /// The bytes that the reader has not taken, so that the server must not send as many again.
        private var withheld = 0
        private var isTouched = false
        private var trailers: HTTPHeaders?
        private var dataOffset = 0

        fileprivate init(_ exchange: HTTPExchange, over carrier: HTTP2Connection) {
            self.exchange = exchange
            self.carrier = carrier
            super.init(isCollected: !exchange.streams)
        }

        private var loop: EventLoop { carrier.eventLoop }

        private func touch() {
            guard !isTouched else { return }
            isTouched = true
            carrier.touch(self)
        }

        fileprivate func deliver() {
            isTouched = false
            exchange.deliver(on: loop)
            returnWindow()
        }

        private func returnWindow() {
            guard exchange.streams, withheld > 0, !exchange.isFull else { return }
            carrier.consumed(self, bytes: withheld)
            withheld = 0
        }

        // MARK: HTTP2Stream

        override func didReceiveHead(
            _ block: UnsafeRawBufferPointer, status: Int, contentLength: Int64, hasBody: Bool
        ) {
            exchange.touch(loop.now)
            exchange.noteFirstByte(loop.now)
            let length = hasBody ? (contentLength < 0 ? nil : contentLength) : 0
            let head = WireHead(
                status: status, version: .http2, bytes: Array(block), bodyLength: length,
                isCoded: hasBody && exchange.request.decodesContent && status != 206 && Self.isEncoded(block))
            touch()
            _ = exchange.receive(head, declaredBytes: length, on: loop)
        }

        /// Whether the lines have a `content-encoding` other than `identity`.
        private static func isEncoded(_ block: UnsafeRawBufferPointer) -> Bool {
            var start = block.startIndex
            while start < block.count {
                let end = block[start...].firstIndex(of: 0x0A) ?? block.count
                let line = UnsafeRawBufferPointer(rebasing: block[start..<end])
                if line.count > 17, line[0] | 0x20 == 0x63, line[16] == UInt8(ascii: ":"),
                    line[..<16].elementsEqual("content-encoding".utf8, by: { $0 | 0x20 == $1 | 0x20 })
                {
                    let value = String(decoding: line[17...], as: UTF8.self).trimmingCharacters(
                        in: .whitespacesAndNewlines)
                    if !value.isEmpty, !value.equalsIgnoringASCIICase("identity") { return true }
                }
                start = end + 1
            }
            return false
        }

        override func didReceiveInterim(status: Int) {
            exchange.touch(loop.now)
        }

        override func didReceive(_ data: UnsafeRawBufferPointer) {
            exchange.touch(loop.now)
            withheld += data.count
            touch()
            _ = exchange.receive(data, on: loop)
        }

        override func didReceiveTrailers(_ block: UnsafeRawBufferPointer) {
            trailers = HTTPHeaders(received: HeaderBlockParser.fieldLines(in: block))
        }

        override func didSendHead(isLast: Bool) {
            exchange.times.sent = loop.now
            exchange.touch(loop.now)
            if isLast { sent() }
        }

        override func didSendBody(_ count: Int, isLast: Bool) {
            exchange.touch(loop.now)
            if count > 0 { exchange.didSend(count) }
            if isLast { sent() }
        }

        private func sent() {
            if exchange.phase == .sending { exchange.phase = .waiting }
            exchange.report(.requestSent)
        }

        override func readBody(into buffer: UnsafeMutableRawBufferPointer) -> HTTP2BodyRead {
            let read: UploadRead
            switch exchange.request.upload {
            case .none: return .last(0)
            case .data(let data):
                let count = min(buffer.count, data.count - dataOffset)
                data.withUnsafeBytes { bytes in
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[dataOffset..<(dataOffset + count)]))
                }
                dataOffset += count
                return dataOffset == data.count ? .last(count) : .bytes(count)
            case .pieces(let pieces): read = pieces.read(into: buffer)
            case .stream(let feed): read = feed.read(into: buffer, for: exchange)
            }
            switch read {
            case .bytes(let count): return .bytes(count)
            case .end: return .last(0)
            case .failed: return .failed
            case .pause:
                exchange.timeouts.isSendingPaused = true
                return .pause
            }
        }

        override func didEnd(_ failure: HTTP2Failure?) {
            guard exchange.liveIndex >= 0 else { return }
            guard let failure else { return exchange.complete(trailers: trailers, on: loop) }
            if failure.transportCode == .http11Required, !exchange.engine.defaults.requiresHTTP2 {
                exchange.engine.pool.requiresHTTP1(exchange)
            }
            exchange.end(HTTP2Failures.error(failure, of: exchange, self), on: loop)
        }

        // MARK: ExchangeCarrier

        func resumeReceiving(_ exchange: HTTPExchange) {
            returnWindow()
        }

        func resumeSending(_ exchange: HTTPExchange) {
            carrier.resumeBody(of: self)
        }

        func abandon(_ exchange: HTTPExchange, isCancelled: Bool) {
            carrier.cancel(self)
        }
    }

    extension WireRequest {
        func http2Request(for exchange: HTTPExchange) -> HTTP2Request {
            let body: HTTP2Request.Body
            if case .none = upload { body = .none } else { body = uploadLength < 0 ? .unknown : .length(uploadLength) }
            // Over HTTP/2 only the caller's own `Expect` is sent.
            let fields = callerExpectsContinue ? fields : fields.filter { !$0.name.equalsIgnoringASCIICase("Expect") }
            return HTTP2Request(
                method: method.utf8, scheme: target.isHTTPS ? "https".utf8 : "http".utf8,
                authority: target.authority.utf8,
                path: target.path.utf8, fields: fields.map { ($0.name.utf8, $0.value.utf8) }, body: body)
        }
    }
#endif
