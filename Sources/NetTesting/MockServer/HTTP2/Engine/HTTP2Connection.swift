import NetCore

/// One HTTP/2 connection: it takes over from a ``Connection`` whose client chose `h2`, and lives on the loop thread as that does.
final class HTTP2Connection: LoopConnection {
    enum Phase: Equatable {
        case open
        /// Our half is shut: what still comes is dropped until the client closes, or until that time.
        case draining(until: TimeInterval)
        /// Does nothing until the client closes.
        case stalled
        case closed
    }

    let number: Int
    let channel: Channel
    let services: Connection.Services
    let inbox: ByteQueue
    let outbox = ByteQueue()
    var phase = Phase.open
    var peerFinished = false
    /// The socket takes no more bytes now.
    var isBlocked = false

    // MARK: Receiving

    var hasPreface = false
    var hasSettings = false
    /// What a new stream may receive: the protocol's default until the client has acknowledged our settings (RFC 9113, section 6.9.3).
    var initialReceiveWindow: Int64 = 65_535
    var decoder: HPACKDecoder
    /// A field block that waits for its CONTINUATION.
    var fieldBlock: (stream: UInt32, endsStream: Bool, bytes: [UInt8])?
    var receiveWindow: Int64 = 65_535
    /// Bytes that were taken and not given back by WINDOW_UPDATE.
    var owed = 0

    // MARK: Streams

    var streams: [UInt32: HTTP2Stream] = [:]
    /// The identifiers in the order of their turns, those of closed streams too for a while.
    var order: [UInt32] = []
    /// The highest stream that the client opened.
    var highest: UInt32 = 0
    /// The highest stream that was accepted.
    var lastAccepted: UInt32 = 0
    var acceptedCount = 0
    /// What the last GOAWAY said: streams beyond it are ignored, and the connection ends with those it spares.
    var goAwayLast: UInt32?

    // MARK: Sending

    var encoder = HPACKEncoder()
    var peerMaxFrame = 16_384
    var peerTableSize = 4_096
    var peerInitialWindow: Int64 = 65_535
    var sendWindow: Int64 = 65_535
    /// The stream whose field block is not complete: others wait, and so do the connection's frames.
    var exclusive: UInt32?
    /// The connection's frames that wait.
    let waiting = ByteQueue()
    /// What happens to the connection once the outbox is empty.
    var action: Step.Action?
    /// After an error of the connection: only the outbox is sent.
    var isEnding = false

    /// Acknowledgements that a client does not read; it is not read either meanwhile.
    static let outboxLimit = 1 << 20
    /// How long a client may go on sending what nobody reads, before a close that would reset the connection.
    static let patience: TimeInterval = 2

    init(number: Int, channel: Channel, inbox: ByteQueue, services: Connection.Services) {
        self.number = number
        self.channel = channel
        self.inbox = inbox
        self.services = services
        decoder = HPACKDecoder(
            tableSize: services.http2.headerTableSize,
            listLimit: min(services.http2.maxHeaderListSize ?? RequestParser.headLimit, RequestParser.headLimit))
        note { _ in }
        sendSettings()
    }

    // MARK: What the loop needs to know

    var descriptor: Int32 { channel.socket.descriptor }

    var isClosed: Bool { phase == .closed }

    var successor: HTTP2Connection? { nil }

    var hasPendingBytes: Bool { events & Int16(POLLIN) != 0 && channel.hasPendingBytes }

    var events: Int16 {
        var events: Int16 = 0
        switch phase {
        case .open:
            if !peerFinished {
                events = outbox.count + waiting.count < Self.outboxLimit ? Int16(POLLIN) : Poll.peerShut
            }
        case .draining: events = Int16(POLLIN)
        case .stalled: events = Poll.peerShut
        case .closed: break
        }
        if isBlocked { events |= Int16(POLLOUT) }
        return events
    }

    var deadline: TimeInterval? {
        switch phase {
        case .draining(let until): return until
        case .stalled, .closed: return nil
        case .open: break
        }
        var deadline: TimeInterval?
        for stream in streams.values {
            if let time = stream.resumesAt { deadline = min(deadline ?? time, time) }
            if let time = stream.returnsAt { deadline = min(deadline ?? time, time) }
        }
        return deadline
    }

    // MARK: What happens to it

    func handle(_ events: Int16, now: TimeInterval) {
        if events & Int16(POLLIN) != 0 {
            receive()
        } else if Poll.isLost(events) {
            close()
        } else if Poll.peerHasShut(events) {
            peerFinished = true
        }
        advance(now: now)
    }

    func advance(now: TimeInterval) {
        switch phase {
        case .draining(let until) where peerFinished || now >= until: return close()
        case .stalled where peerFinished: return close()
        case .draining, .stalled, .closed: return
        case .open: break
        }
        readFrames(now: now)
        returnPacedBytes(now: now)
        send(now: now)
        if phase == .open, peerFinished { close() }
    }

    func receive(_ response: MockResponse, exchange: Int, now: TimeInterval) {
        guard let stream = UInt32(exactly: exchange).flatMap({ streams[$0] }), stream.handlerTask != nil else { return }
        stream.handlerTask = nil
        start(response, on: stream)
        advance(now: now)
    }

    func carryOut(_ command: HTTP2Command, now: TimeInterval) {
        guard phase == .open, !isEnding else { return }
        switch command {
        case .goAway(let code, let last): goAway(code, last: last)
        case .send(let frames): for frame in frames { write(frame) }
        }
        advance(now: now)
    }

    func close(resetting: Bool) {
        guard phase != .closed else { return }
        phase = .closed
        for stream in streams.values { drop(stream) }
        if resetting { channel.reset() } else { channel.close() }
        services.journal.update {
            $0.open -= 1
            $0.updateHTTP2(number) { $0.isOpen = false }
        }
    }

    func perform(_ action: Step.Action, now: TimeInterval) {
        for stream in streams.values { drop(stream) }
        switch action {
        case .close:
            takeWhatIsThere()
            close()
        case .reset: close(resetting: true)
        case .halfClose: drain(until: .infinity)
        case .stall:
            isBlocked = false
            phase = .stalled
            if peerFinished { close() }
        }
    }

    func drain(until time: TimeInterval) {
        phase = .draining(until: time)
        isBlocked = false
        inbox.removeAll()
        outbox.removeAll()
        channel.shutdownWriting()
    }

    /// A close with bytes unread is a reset.
    private func takeWhatIsThere() {
        for _ in 0..<16 {
            guard case .bytes = inbox.receive(from: channel) else { return }
            inbox.removeAll()
        }
    }

    private func receive() {
        switch inbox.receive(from: channel) {
        case .bytes: if case .draining = phase { inbox.removeAll() }
        case .wouldBlock: break
        case .ended: peerFinished = true
        case .failed: close()
        }
    }

    /// Notes what was seen.
    func note(_ change: (inout MockHTTP2Connection) -> Void) {
        services.journal.update { $0.updateHTTP2(number, change) }
    }
}
