#if os(Linux)
    import CLibcurl
    import NetCore

    /// Sends the head and the body of a request over a connection.
    struct HTTP1Sender {
        enum Progress {
            /// There is more to send, or to wait for.
            case goesOn
            /// There is more to send at once, after the other connections had their turn.
            case turnEnds
            /// The last byte was sent now.
            case sent
            /// The request's body failed.
            case failed
            case lost(Connection.End)
        }

        /// The head, and then what was read of a body that is not in memory.
        private var out: [UInt8] = []
        private var outOffset = 0
        private var body = WireUpload.none
        private var bodyOffset = 0
        /// The bytes of the body that were read of a source with a length.
        private var bodyRead: Int64 = 0
        private var isRead = true
        private(set) var isDone = true
        /// Whether the response came before the whole request was sent.
        private(set) var wasStopped = false
        private(set) var awaitsContinue = false
        /// When the body is sent without `100 Continue`; 0 while nothing waits.
        private(set) var continueDue: Int64 = 0

        private static let readSize = 64 * 1024
        /// The most of a body in memory that the system is given at once. With smaller parts the peer is woken for each of them.
        private static let sendSize = 1024 * 1024
        /// A larger buffer is not kept by an idle connection.
        private static let keptSize = 4 * 1024

        mutating func begin(_ exchange: HTTPExchange) {
            let request = exchange.request
            out = request.http1Head
            (outOffset, bodyOffset, bodyRead) = (0, 0, 0)
            (isDone, wasStopped, continueDue) = (false, false, 0)
            body = request.upload
            isRead = body.source == nil
            awaitsContinue = request.expectsContinue && request.uploadLength != 0
            if exchange.omitsExpect, awaitsContinue {
                awaitsContinue = false
                removeExpect()
            }
        }

        /// Removes the line with `Expect` from the head.
        private mutating func removeExpect() {
            let lines = out.split(separator: 0x0A, omittingEmptySubsequences: false)
            let others = lines.filter { !$0.starts(with: "Expect:".utf8, by: { $0 | 0x20 == $1 | 0x20 }) }
            out = Array(others.joined(separator: [0x0A]))
        }

        /// Lets the body be sent.
        mutating func startBody() {
            (awaitsContinue, continueDue) = (false, 0)
        }

        /// Sends nothing more.
        mutating func stop() {
            (isDone, wasStopped, awaitsContinue, continueDue) = (true, true, false, 0)
            (body, out) = (.none, [])
        }

        /// Returns whether the wait for `100 Continue` is over.
        mutating func checkContinue(now: Int64) -> Bool {
            guard continueDue > 0, now >= continueDue else { return false }
            startBody()
            return true
        }

        mutating func send(_ exchange: HTTPExchange, over connection: Connection, now: Int64) -> Progress {
            guard !isDone else { return .goesOn }
            var total = 0
            while true {
                guard total < EventLoop.bytesPerTurn else { return .turnEnds }
                if exchange.times.sent == 0 { exchange.times.sent = nc_clock() }
                let step: Connection.Moved
                let hasHead = outOffset < out.count
                switch body {
                case .data(let data) where !awaitsContinue && bodyOffset < data.count:
                    let end = min(data.count, bodyOffset + Self.sendSize)
                    step = out.withUnsafeBytes { out in
                        data.withUnsafeBytes { data in
                            connection.send(
                                UnsafeRawBufferPointer(rebasing: out[outOffset...]),
                                UnsafeRawBufferPointer(rebasing: data[bodyOffset..<end]))
                        }
                    }
                default:
                    guard hasHead else {
                        switch fill(exchange, now: now) {
                        case .bytes: continue
                        case .pause: return .goesOn
                        case .failed: return .failed
                        case .end:
                            finish()
                            return .sent
                        }
                    }
                    step = out.withUnsafeBytes {
                        connection.send(UnsafeRawBufferPointer(rebasing: $0[outOffset...]))
                    }
                }
                switch step {
                case .none: return .goesOn
                case .end(let end): return .lost(end)
                case .bytes(let count):
                    total += count
                    advance(by: count, exchange, now: now)
                }
                if isComplete {
                    finish()
                    return .sent
                }
            }
        }

        private mutating func advance(by count: Int, _ exchange: HTTPExchange, now: Int64) {
            exchange.touch(now)
            let ofHead = min(count, out.count - outOffset)
            outOffset += ofHead
            if case .data = body, count > ofHead {
                bodyOffset += count - ofHead
                exchange.didSend(count - ofHead)
            }
            if awaitsContinue, outOffset == out.count, continueDue == 0 {
                continueDue = now + 1_000_000_000
                exchange.connection?.loop.noteDue(continueDue)
            }
        }

        private var isComplete: Bool {
            guard outOffset == out.count, isRead, !awaitsContinue else { return false }
            if case .data(let data) = body { return bodyOffset == data.count }
            return true
        }

        private mutating func finish() {
            (isDone, body) = (true, .none)
            if out.capacity > Self.keptSize { out = [] }
        }

        /// Reads more of the body into `out`, which was sent.
        private mutating func fill(_ exchange: HTTPExchange, now: Int64) -> UploadRead {
            if awaitsContinue { return .pause }
            guard !isRead else { return .end }
            let length = exchange.request.uploadLength
            let isChunked = length < 0
            // Room for the line with the size of a chunk, which has a fixed number of digits.
            let before = isChunked ? 6 : 0
            let wanted = isChunked ? Self.readSize - 8 : Int(min(Int64(Self.readSize), length - bodyRead))
            var read = UploadRead.end
            if wanted > 0 {
                out = [UInt8](unsafeUninitializedCapacity: before + wanted + 2) { buffer, count in
                    let room = UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[before..<(before + wanted)])
                    read = body.read(into: room, from: bodyRead, for: exchange)
                    guard case .bytes(let bytes) = read else { return }
                    count = before + bytes
                    guard isChunked else { return }
                    Self.writeSize(bytes, to: buffer)
                    buffer[count] = 0x0D
                    buffer[count + 1] = 0x0A
                    count += 2
                }
                outOffset = 0
            }
            switch read {
            case .bytes(let count):
                bodyRead += Int64(count)
                exchange.didSend(count)
                if !isChunked, bodyRead == length { isRead = true }
            case .pause:
                exchange.timeouts.isSendingPaused = true
            case .failed: break
            case .end:
                // A source with a length ends at it: what it lacks, it has reported as a failure.
                if !isChunked, bodyRead < length { return .failed }
                isRead = true
                guard isChunked else { break }
                out = Array("0\r\n\r\n".utf8)
                outOffset = 0
                return .bytes(out.count)
            }
            return read
        }

        /// Writes a size of at most four digits, and a line end.
        private static func writeSize(_ size: Int, to buffer: UnsafeMutableBufferPointer<UInt8>) {
            for index in 0..<4 {
                let digit = UInt8(truncatingIfNeeded: size >> (12 - 4 * index) & 15)
                buffer[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
            }
            buffer[4] = 0x0D
            buffer[5] = 0x0A
        }
    }
#endif
