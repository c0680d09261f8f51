#if os(Linux)
    import NetCore

    /// An exchange as a stream of HTTP/2.
    final class HTTP2Exchange: HTTP2Stream, ExchangeCarrier {
        private let exchange: HTTPExchange
        private let carrier: HTTP2Connection
        /// The bytes that the reader has not taken, so that the server must not send as many again.
        private var withheld = 0
        private var isTouched = false
        private var trailers: HTTPHeaders?
        private var dataOffset = 0

        init(_ exchange: HTTPExchange, over carrier: HTTP2Connection) {
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

        func deliver() {
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
            carrier.cancel(self, lastActivity: exchange.timeouts.lastActivity)
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
