import NetCore

extension HTTP2Connection {
    /// The bytes of frames that are made ahead of the socket. A later RST_STREAM cannot take them back.
    private static let ahead = 32 << 10

    /// Sends a frame of the connection, or a frame of a stream out of its turn.
    func write(_ frame: MockHTTP2Frame, on stream: UInt32 = 0) {
        (exclusive == nil ? outbox : waiting).append(frame.encoded(on: stream))
    }

    func sendWindowUpdate(_ increment: Int, on stream: UInt32) {
        let payload = Data(UInt32(clamping: increment).bigEndianBytes)
        write(MockHTTP2Frame(.windowUpdate, payload: payload), on: stream)
    }

    /// Sends RST_STREAM and forgets the stream.
    func reset(_ id: UInt32, _ code: TransportError.HTTP2Code) {
        write(MockHTTP2Frame(.reset, payload: Data(code.rawValue.bigEndianBytes)), on: id)
        if let stream = streams[id] { drop(stream) }
    }

    /// Sends GOAWAY and drops the streams beyond the last one.
    func goAway(_ code: TransportError.HTTP2Code, last: Int?) {
        let last = UInt32(clamping: last ?? Int(goAwayLast ?? lastAccepted)) & 0x7FFF_FFFF
        let payload = last.bigEndianBytes + code.rawValue.bigEndianBytes
        write(MockHTTP2Frame(.goAway, payload: Data(payload)))
        // A higher number is only a warning (RFC 9113, section 6.8).
        if last <= lastAccepted { goAwayLast = last }
        for stream in streams.values where stream.id > last { drop(stream) }
        if code != .noError { isEnding = true }
    }

    /// Sends what the windows, the socket and the time allow.
    func send(now: TimeInterval) {
        var budget = StepQueue.turn
        while ending == nil {
            while !outbox.isEmpty {
                guard budget > 0 else { return isBlocked = true }
                switch channel.write(outbox.bytes) {
                case .bytes(let count):
                    outbox.dropFirst(count)
                    budget -= count
                case .wouldBlock: return isBlocked = true
                case .ended, .failed: return close()
                }
            }
            isBlocked = false
            if let action { return perform(action) }
            if isEnding || goAwayLast != nil && streams.isEmpty {
                cancelExchanges()
                return drain(until: now + Self.lingerTime)
            }
            guard fill(now: now) else { return }
        }
    }

    /// Makes frames of the streams in turn. Returns false if all have to wait.
    private func fill(now: TimeInterval) -> Bool {
        var madeAny = false
        var madeNow = true
        while madeNow, outbox.count < Self.ahead, action == nil, !isEnding {
            madeNow = false
            for id in order {
                guard outbox.count < Self.ahead, action == nil, !isEnding else { break }
                guard exclusive == nil || exclusive == id else { continue }
                guard let stream = streams[id], performSteps(of: stream, now: now) else { continue }
                madeNow = true
            }
            madeAny = madeAny || madeNow
            if let first = order.first {
                // The next turn begins with another stream.
                order.removeFirst()
                if streams[first] != nil { order.append(first) }
            }
        }
        return madeAny || action != nil || !outbox.isEmpty || goAwayLast != nil && streams.isEmpty
    }

    /// Performs the steps of a stream up to the next frame. Returns false if it has to wait.
    private func performSteps(of stream: HTTP2Stream, now: TimeInterval) -> Bool {
        while let step = stream.steps.due(now: now) {
            switch step {
            case .hold: return false
            case .exclusive(let isExclusive):
                stream.steps.finish()
                setExclusive(isExclusive ? stream.id : nil)
            case .write(let data, _): return sendData(data, of: stream, step.byteCount, now: now)
            case .make(let make):
                let (data, times) = make(
                    Step.StreamState(
                        stream: stream.id, maxFrameSize: peerMaxFrame, headerTableSize: peerTableSize,
                        streamWindow: stream.sendWindow, connectionWindow: sendWindow))
                stream.steps.replaceStep(with: .raw(data, times: times))
            case .raw(let data, let times) where stream.steps.written < times && !data.isEmpty:
                outbox.append(data)
                stream.steps.written += 1
                return true
            case .raw: stream.steps.finish()
            default:
                sendFrame(step, of: stream)
                return true
            }
        }
        return false
    }

    /// Performs a step that is one frame, or that ends the stream or the connection.
    private func sendFrame(_ step: Step, of stream: HTTP2Stream) {
        let endsHere = stream.steps.isBeforeEnd
        stream.steps.finish()
        switch step {
        case .headers(let fields):
            outbox.append(fieldBlock(fields, of: stream, endsStream: endsHere))
            if endsHere { finish(stream) }
        case .halfHeaders(let fields):
            let block = fieldBlock(fields, of: stream, endsStream: false)
            outbox.append(block.prefix(block.count / 2))
        case .end:
            outbox.append(MockHTTP2Frame.header(0, .data, MockHTTP2Frame.endStream, on: stream.id))
            finish(stream)
        case .finish: drop(stream)
        case .reset(let code): reset(stream.id, code)
        case .goAway(let code, .accepted): goAway(code, last: nil)
        case .goAway(let code, .current): goAway(code, last: Int(stream.id))
        case .goAway(let code, .previous): goAway(code, last: max(0, Int(stream.id) - 2))
        case .goAway(let code, .id(let id)): goAway(code, last: id)
        case .perform(let action): self.action = action
        case .write, .hold, .wait, .pace, .exclusive, .raw, .make: break
        }
    }

    func setExclusive(_ stream: UInt32?) {
        exclusive = stream
        guard stream == nil, !waiting.isEmpty else { return }
        outbox.append(Data(waiting.bytes))
        waiting.removeAll()
    }

    /// - Parameter total: the bytes of the step, which repeats the data.
    private func sendData(_ data: Data, of stream: HTTP2Stream, _ total: Int64, now: TimeInterval) -> Bool {
        let offset = Int(stream.steps.written % Int64(data.count))
        let count = min(
            data.count - offset, peerMaxFrame, stream.steps.allowance, Int(clamping: stream.sendWindow),
            Int(clamping: sendWindow))
        guard count > 0 else { return false }
        let endsHere = stream.steps.isBeforeEnd && stream.steps.written + Int64(count) == total
        outbox.append(MockHTTP2Frame.header(count, .data, endsHere ? MockHTTP2Frame.endStream : 0, on: stream.id))
        outbox.append(data.dropFirst(offset).prefix(count))
        stream.sendWindow -= Int64(count)
        sendWindow -= Int64(count)
        note { $0.unreturnedBytes += Int64(count) }
        stream.steps.wrote(count, now: now)
        if endsHere { finish(stream) }
        return true
    }

    /// Ends a stream after END_STREAM. If the request is incomplete, RST_STREAM tells the client to stop sending it (RFC 9113, section 8.1).
    private func finish(_ stream: HTTP2Stream) {
        if stream.isRequestComplete { drop(stream) } else { reset(stream.id, .noError) }
    }

    private func fieldBlock(_ fields: [HTTPHeader], of stream: HTTP2Stream, endsStream: Bool) -> Data {
        MockHTTP2Frame.fieldBlock(
            encoder.encode(fields.map { HPACKField($0.name, $0.value) }), on: stream.id, endsStream: endsStream,
            maxFrame: peerMaxFrame)
    }
}
