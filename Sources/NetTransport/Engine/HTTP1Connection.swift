#if os(Linux)
    import CLibcurl
    import NetCore

    /// HTTP/1.1 over a connection: one exchange after the other (RFC 9112).
    final class HTTP1Connection: Connection.Handler, ExchangeCarrier {
        private let connection: Connection
        private var parser: HTTP1ResponseParser
        /// The bytes of an incomplete part of the response, such as a head.
        private var rest: [UInt8] = []
        private var sender: HTTP1Sender
        private var exchange: HTTPExchange?
        /// Whether the response has left HTTP.
        private var tunnel: UpgradeTunnel?
        /// Whether the response refuses `Expect`, and the request is sent again behind it.
        private var isRepeating = false
        /// Whether the server has sent `100 Continue`, and the body is to be sent after what was received with it is parsed.
        private var receivedContinue = false
        /// How sending ended, if the connection was lost by it. The system tells of a reset once.
        private var sendEnd: Connection.End?

        init(_ connection: Connection) {
            self.connection = connection
            parser = HTTP1ResponseParser(isHead: false, limits: connection.engine.headLimits)
            sender = HTTP1Sender()
        }

        private var loop: EventLoop { connection.loop }

        /// Sends an exchange. The connection is idle.
        func carry(_ exchange: HTTPExchange, isFirst: Bool) {
            self.exchange = exchange
            exchange.carrier = self
            exchange.isReused = !isFirst
            connection.idleSince = 0
            connection.handler = self
            if isFirst {
                parser = HTTP1ResponseParser(
                    isHead: exchange.request.method == "HEAD", limits: connection.engine.headLimits)
            } else {
                parser.restart(isHead: exchange.request.method == "HEAD")
            }
            receivedContinue = false
            sendEnd = nil
            exchange.phase = .sending
            exchange.touch(loop.now)
            exchange.noteDue(on: loop)
            sender.begin(exchange)
            write(connection)
            if connection.mayRead { read(connection) }
        }

        // MARK: Sending

        func write(_ connection: Connection) {
            if let tunnel { return tunnel.write(connection) }
            guard let exchange, connection.isOpen else { return }
            switch sender.send(exchange, over: connection, now: loop.now) {
            case .goesOn: break
            case .turnEnds: loop.noteBusy(connection)
            case .sent:
                if exchange.phase == .sending { exchange.phase = .waiting }
                exchange.report(.requestSent)
            case .failed:
                release(mayReuse: false)
                exchange.end(ExchangeErrors.bodyFailure(of: exchange), on: loop)
            case .lost(let end):
                // The server may have answered before it closed the connection.
                sendEnd = end
                guard !readWhatIsThere() else { break }
                // The rest waits for its reader, behind which the end is found.
                if exchange.isFull { return stopSending(exchange) }
                if let tunnel { tunnel.ended(end) } else { closed(exchange, end) }
            }
        }

        /// Returns whether the exchange has ended by what was still to be received.
        private func readWhatIsThere() -> Bool {
            guard let exchange else { return true }
            var received: Int64
            // A turn reads a part of a large response.
            repeat {
                received = exchange.receivedBytes
                connection.expectMore()
                read(connection)
            } while exchange.isLive && exchange.receivedBytes > received
            return !exchange.isLive
        }

        // MARK: Receiving

        func read(_ connection: Connection) {
            if let tunnel { return tunnel.read(connection) }
            var total = 0
            while let exchange, connection.isOpen {
                if exchange.isFull {
                    exchange.deliver(on: loop)
                    if exchange.isFull { return }
                }
                guard total < EventLoop.bytesPerTurn else {
                    loop.noteBusy(connection)
                    break
                }
                let direct = roomInBody(of: exchange)
                let buffer = direct ?? (exchange.hasHead ? loop.buffer : loop.headBuffer)
                switch connection.receive(into: buffer) {
                case .none:
                    exchange.deliver(on: loop)
                    return
                case .end(let end):
                    return closed(exchange, end)
                case .bytes(let count):
                    total += count
                    exchange.touch(loop.now)
                    if direct != nil {
                        exchange.didReceive(count)
                        parser.didReceiveBody(count)
                        if parser.expectedBodyBytes == 0 { parse(UnsafeRawBufferPointer(start: nil, count: 0)) }
                    } else {
                        parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    }
                    if let tunnel { return tunnel.read(connection) }
                    if receivedContinue {
                        receivedContinue = false
                        write(connection)
                    }
                }
            }
            exchange?.deliver(on: loop)
        }

        /// Room for the body where it stays, if its length is known and much of it is to come.
        private func roomInBody(of exchange: HTTPExchange) -> UnsafeMutableRawBufferPointer? {
            let expected = rest.isEmpty && exchange.hasHead ? parser.expectedBodyBytes ?? 0 : 0
            guard expected > 4096 else { return nil }
            let room = exchange.room(for: expected)
            return room.isEmpty ? nil : room
        }

        /// Parses received bytes, behind the kept ones.
        private func parse(_ bytes: UnsafeRawBufferPointer) {
            if rest.isEmpty {
                let consumed = steps(bytes)
                if exchange != nil, consumed < bytes.count { rest.append(contentsOf: bytes[consumed...]) }
                return
            }
            rest.append(contentsOf: bytes)
            let kept = rest
            rest = []
            let consumed = kept.withUnsafeBytes { steps($0) }
            if exchange != nil, consumed < kept.count { rest = consumed == 0 ? kept : Array(kept[consumed...]) }
        }

        /// Takes the steps of the response in the bytes. Returns how many bytes were consumed.
        private func steps(_ bytes: UnsafeRawBufferPointer) -> Int {
            var consumed = 0
            let typed = bytes.bindMemory(to: UInt8.self)
            while let exchange {
                let part = UnsafeBufferPointer(rebasing: typed[consumed...])
                let result: (step: HTTP1ResponseParser.Step, consumed: Int)
                do throws(HTTP1ParseError) {
                    result = try parser.next(part.span)
                } catch {
                    release(mayReuse: false)
                    exchange.end(ExchangeErrors.error(error, of: exchange), on: loop)
                    return bytes.count
                }
                let raw = UnsafeRawBufferPointer(part)
                switch result.step {
                case .needMore:
                    if parser.hasBegun, !exchange.hasHead, !part.isEmpty { exchange.phase = .receivingHead }
                    return consumed + result.consumed
                case .interim(let status, _):
                    if status == 100 {
                        sender.startBody()
                        receivedContinue = true
                    }
                    exchange.phase = .waiting
                case .upgrade(let head): takeUpgrade(exchange, head, raw, consumed: result.consumed)
                case .head(let head):
                    exchange.noteFirstByte(loop.now)
                    guard take(head, raw, for: exchange) else { return bytes.count }
                case .body where isRepeating: break
                case .body(let range):
                    guard exchange.receive(.init(rebasing: raw[range]), on: loop) else { return bytes.count }
                case .end where isRepeating:
                    sendAgain(exchange, hasSurplus: consumed + result.consumed < bytes.count)
                    return bytes.count
                case .end(let trailers):
                    let fields = trailers.map {
                        HTTPHeaders(
                            received: HeaderBlockParser.fieldLines(in: UnsafeRawBufferPointer(rebasing: raw[$0])))
                    }
                    finish(exchange, trailers: fields, hasSurplus: consumed + result.consumed < bytes.count)
                    return bytes.count
                }
                consumed += result.consumed
            }
            return bytes.count
        }

        /// Returns false if the exchange has ended.
        private func take(_ head: HTTP1Head, _ bytes: UnsafeRawBufferPointer, for exchange: HTTPExchange) -> Bool {
            if head.status == 417, exchange.request.expectsContinue, !exchange.omitsExpect,
                head.bodyLength != .untilClose, exchange.request.upload.source?.rewind() ?? true
            {
                (exchange.omitsExpect, isRepeating) = (true, true)
                stopSending(exchange)
                return true
            }
            let length: Int64?
            switch head.bodyLength {
            case .none: length = 0
            case .bytes(let count): length = count
            case .chunked, .untilClose: length = nil
            }
            let response = WireHead(
                status: head.status, version: head.minorVersion == 0 ? .http1_0 : .http1_1,
                bytes: Array(bytes[head.bytes]), bodyLength: length,
                isCoded: head.isEncoded && exchange.request.decodesContent && length != 0 && head.status != 206)
            // A refusal, while the body is being sent: the rest of it is not sent (RFC 9112, section 9.5).
            if head.status >= 300 || sender.awaitsContinue {
                stopSending(exchange)
            } else if !sender.isDone {
                sender.startBody()
            }
            return exchange.receive(response, declaredBytes: length, on: loop)
        }

        /// Sends nothing more of the request.
        private func stopSending(_ exchange: HTTPExchange) {
            guard !sender.isDone else { return }
            sender.stop()
            // The server does not wait for the writer of the body any more.
            exchange.timeouts.isSendingPaused = false
        }

        /// Sends a request without `Expect`, which its server refused, over this connection or another.
        private func sendAgain(_ exchange: HTTPExchange, hasSurplus: Bool) {
            isRepeating = false
            rest = []
            exchange.sentBytes = 0
            if parser.mayBeReused, sender.isDone, !sender.wasStopped, !hasSurplus {
                return carry(exchange, isFirst: false)
            }
            release(mayReuse: false)
            exchange.carrier = nil
            exchange.startAgain(on: loop)
        }

        // MARK: The end of a response

        private func finish(_ exchange: HTTPExchange, trailers: HTTPHeaders?, hasSurplus: Bool) {
            let mayReuse =
                parser.mayBeReused && sender.isDone && !sender.wasStopped && !hasSurplus
                && !exchange.request.closesConnection && !exchange.isUpgrade
            release(mayReuse: mayReuse)
            exchange.complete(trailers: trailers, on: loop)
        }

        /// Lets go of the exchange. The pool gets the connection with the end of the exchange.
        private func release(mayReuse: Bool) {
            exchange = nil
            rest = []
            let seconds = Int64(min(parser.keepAliveSeconds ?? 1_000_000, 1_000_000))
            connection.idleLimit = min(seconds * 1_000_000_000, Connection.usualIdleLimit)
            connection.handler = nil
            if mayReuse, connection.isOpen, connection.engine.keepsConnections {
                connection.idleSince = loop.now
                // A read that filled its buffer does not say whether there is more.
                connection.noticeWhileIdle()
            } else {
                connection.close()
            }
        }

        /// The server has ended its side.
        private func closed(_ exchange: HTTPExchange, _ end: Connection.End) {
            var end = end
            if end.osError == 0, let sendEnd, sendEnd.osError == ECONNRESET { end = sendEnd }
            var cause: HTTP1ParseError?
            if end.osError == 0, !end.isTruncated {
                do {
                    _ = try parser.connectionClosed()
                    release(mayReuse: false)
                    return exchange.complete(trailers: nil, on: loop)
                } catch {
                    cause = error
                }
            }
            release(mayReuse: false)
            exchange.end(ExchangeErrors.lost(exchange, end, hasBegun: parser.hasBegun, cause), on: loop)
        }

        func checkTime(_ connection: Connection) {
            guard exchange != nil else { return }
            if sender.checkContinue(now: loop.now) { write(connection) }
            loop.noteDue(sender.continueDue)
        }

        // MARK: ExchangeCarrier

        func resumeReceiving(_ exchange: HTTPExchange) {
            guard exchange === self.exchange else { return }
            read(connection)
        }

        func resumeSending(_ exchange: HTTPExchange) {
            guard exchange === self.exchange else { return }
            write(connection)
        }

        func abandon(_ exchange: HTTPExchange, isCancelled: Bool) {
            guard exchange === self.exchange else { return }
            release(mayReuse: false)
        }

        // MARK: Leaving HTTP

        private func takeUpgrade(
            _ exchange: HTTPExchange, _ head: HTTP1Head, _ bytes: UnsafeRawBufferPointer, consumed: Int
        ) {
            guard exchange.isUpgrade else {
                release(mayReuse: false)
                exchange.end(ExchangeErrors.unaskedUpgrade(of: exchange), on: loop)
                return
            }
            exchange.noteFirstByte(loop.now)
            let response = WireHead(
                status: head.status, version: .http1_1, bytes: Array(bytes[head.bytes]), bodyLength: nil, isCoded: false
            )
            let tunnel = UpgradeTunnel(exchange, connection)
            self.tunnel = tunnel
            exchange.upgraded(response, surplus: .init(rebasing: bytes[consumed...]), over: tunnel, on: loop)
        }
    }
#endif
