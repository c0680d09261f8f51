#if os(Linux)
    import NetCore

    /// An exchange as a stream of HTTP/2. It ends once.
    final class HTTP2Stream: Listed, ExchangeCarrier {
        let exchange: HTTPExchange
        private let connection: HTTP2Connection
        /// The index among the streams of the connection, which holds it until it ends.
        var index = -1
        var id: Int32 = 0
        /// Whether the request's head was sent, and whether its body was read to the end.
        var isSent = false, isBodyRead: Bool
        /// The bytes of the request's body that were read.
        private var readBytes: Int64 = 0
        /// Whether the body waits for `100 Continue`, and when that ends; 0 before the head was sent.
        var awaitsContinue: Bool, continueDue: Int64 = 0
        /// Whether the head of the final response, or of an interim one (1xx), is being received.
        var isInHead = false
        private(set) var status = 0
        private var contentLength: Int64 = -1, isCoded = false
        /// Whether the response has no body, whatever its fields say.
        private(set) var hasNoBody = false
        var wasReset = false
        /// The bytes of all heads, also of interim ones, and of the trailers.
        var headBytes = 0, emptyFrames = 0
        var trailers: HTTPHeaders?
        /// The bytes of the body that were not returned to the window, those since the window last grew, and by how much that grew.
        var withheld = 0, sinceGrowth = 0, grown: Int32 = 0
        private var isTouched = false
        /// What libnghttp2 says of an invalid frame.
        var problem = ""

        init(_ exchange: HTTPExchange, over connection: HTTP2Connection) {
            self.exchange = exchange
            self.connection = connection
            isBodyRead = exchange.request.uploadLength == 0
            // Over HTTP/2 only the caller's own `Expect` is sent.
            awaitsContinue = exchange.request.callerExpectsContinue && !isBodyRead
        }

        private var loop: EventLoop { connection.loop }
        var isOpen: Bool { index >= 0 }

        /// Whether the response is complete by its declared length, or has no body.
        var isWhole: Bool {
            exchange.hasHead && (hasNoBody || contentLength >= 0 && exchange.receivedBytes == contentLength)
        }

        // MARK: The response

        /// Begins a head. Returns false if the status is not a number from 100 to 599.
        func begin(status text: UnsafeRawBufferPointer) -> Bool {
            (contentLength, isCoded) = (-1, false)
            status = text.count == 3 ? Int(String(decoding: text, as: UTF8.self)) ?? 0 : 0
            return 100...599 ~= status
        }

        /// Notes what a field of the head says of the body.
        func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
            switch name.count {
            case 14 where name.elementsEqual("content-length".utf8):
                // libnghttp2 refuses a second length, and one that is not a number.
                contentLength = Int64(String(decoding: value, as: UTF8.self)) ?? -1
            case 16 where name.elementsEqual("content-encoding".utf8):
                let coding = String(decoding: value, as: UTF8.self).withoutHTTPWhitespace
                if !coding.isEmpty, !coding.equalsIgnoringASCIICase("identity") { isCoded = true }
            default: break
            }
        }

        /// Receives the head of the final response: `HTTP/2 200`, and lines as of HTTP/1.1.
        func receiveHead(_ lines: [UInt8], endsStream: Bool) {
            exchange.touch(loop.now)
            exchange.noteFirstByte(loop.now)
            hasNoBody = exchange.request.method == "HEAD" || status == 204 || status == 205 || status == 304
            let hasBody = !hasNoBody && !endsStream
            let length = hasBody ? (contentLength < 0 ? nil : contentLength) : 0
            let head = WireHead(
                status: status, version: .http2, bytes: lines, bodyLength: length,
                isCoded: hasBody && isCoded && exchange.request.decodesContent && status != 206)
            touch()
            _ = exchange.receive(head, declaredBytes: length, on: loop)
        }

        func receive(_ data: UnsafeRawBufferPointer) {
            exchange.touch(loop.now)
            emptyFrames = 0
            sinceGrowth += data.count
            withheld += data.count
            touch()
            _ = exchange.receive(data, on: loop)
        }

        private func touch() {
            guard !isTouched else { return }
            isTouched = true
            connection.touched.append(self)
        }

        func deliver() {
            isTouched = false
            exchange.deliver(on: loop)
            resumeReceiving(exchange)
        }

        /// The stream has ended: with a whole response, or with a failure. The connection holds it no longer.
        func ended(_ failure: HTTP2Failure?) {
            guard exchange.isLive else { return }
            guard let failure else { return exchange.complete(trailers: trailers, on: loop) }
            if failure.code == .http11Required, !exchange.engine.settings.requiresHTTP2 {
                exchange.engine.pool.requiresHTTP1(exchange)
            }
            exchange.end(failure.error(of: exchange, isInHead: isInHead && !exchange.hasHead), on: loop)
        }

        // MARK: The request

        /// The output has the request's head, or bytes of its body.
        func didSend(_ count: Int, isLast: Bool) {
            exchange.touch(loop.now)
            if count > 0 { exchange.didSend(count) }
            guard isLast else { return }
            if exchange.phase == .sending { exchange.phase = .waiting }
            exchange.report(.requestSent)
        }

        /// Reads the next bytes of the request's body. An end without ``isBodyRead`` comes before the length that was declared.
        func readBody(into buffer: UnsafeMutableRawBufferPointer) -> UploadRead {
            let length = exchange.request.uploadLength
            let room = length < 0 ? buffer.count : Int(min(Int64(buffer.count), length - readBytes))
            let read = exchange.request.upload.read(
                into: .init(rebasing: buffer[..<room]), from: readBytes, for: exchange)
            switch read {
            case .bytes(let count):
                readBytes += Int64(count)
                isBodyRead = readBytes == length
            case .end: isBodyRead = length < 0
            case .pause: exchange.timeouts.isSendingPaused = true
            case .failed: break
            }
            return read
        }

        func startBody() {
            (awaitsContinue, continueDue) = (false, 0)
            connection.resumeBody(of: self)
        }

        // MARK: ExchangeCarrier

        func resumeReceiving(_ exchange: HTTPExchange) {
            guard exchange.streams, withheld > 0, !exchange.isFull else { return }
            connection.returnWindow(of: self)
            connection.noteOutput()
        }

        func resumeSending(_ exchange: HTTPExchange) {
            connection.resumeBody(of: self)
        }

        func abandon(_ exchange: HTTPExchange, isCancelled: Bool) {
            connection.cancel(self, silence: exchange.timeouts.silence(now: loop.now))
        }
    }
#endif
