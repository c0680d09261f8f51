import NetCore

/// One connection: a parser for what comes in, a writer for what goes out, and which of them has its turn.
///
/// It lives on the loop thread and never blocks; each method ends with the connection waiting for something that ``events``
/// and ``deadline`` tell the loop.
final class Connection {
    enum Phase: Equatable {
        /// Waits for a request, or for the rest of one.
        case reading
        /// A handler was asked.
        case thinking
        /// The response is on its way.
        case answering
        /// A WebSocket: both sides speak when they like.
        case open
        /// Our half is shut: what still comes is dropped until the client closes, or until that time.
        case draining(until: TimeInterval)
        /// Does nothing until the client closes.
        case stalled
        case closed
    }

    let number: Int
    let channel: Channel
    private let services: Services
    var phase = Phase.reading
    let inbox = ByteQueue()
    private(set) var parser: RequestParser
    var writer = StepWriter()
    /// The client has shut its half, or the whole connection.
    private(set) var peerFinished = false
    private var exchange = 0
    private var arrival = Date()
    private var answer: Dispatcher.Answer?
    private var handlerTask: Task<Void, Never>?
    private var closesAfterAnswer = false
    /// A fault that strikes when that many bytes of the request's body were read.
    private var interruption: (after: Int64, action: Step.Action)?
    private var readPace: Int?
    private var readsAgainAt: TimeInterval?
    /// What answers when ``Phase/open``.
    var webSocket: WebSocketServer?
    private(set) var successor: HTTP2Connection?

    /// Requests that are sent ahead wait here; more than that stays in the socket.
    private static let inboxLimit = 256 << 10
    /// How long a client may go on sending what nobody reads, before a close that would reset the connection.
    private static let patience: TimeInterval = 2

    init(number: Int, channel: Channel, services: Services) {
        self.number = number
        self.channel = channel
        self.services = services
        parser = RequestParser(keptBody: services.keptBody)
    }

    // MARK: What the loop needs to know

    var descriptor: Int32 { channel.socket.descriptor }

    /// Whether it wants to read, and there is something to read that `poll` does not see.
    var hasPendingBytes: Bool { events & Int16(POLLIN) != 0 && channel.hasPendingBytes }

    /// The events of `poll` to wait for.
    var events: Int16 {
        var events: Int16 = 0
        switch phase {
        case .reading: events = readsAgainAt == nil && !peerFinished ? Int16(POLLIN) : 0
        case .thinking, .answering:
            if !peerFinished { events = inbox.count < Self.inboxLimit ? Int16(POLLIN) : Poll.peerShut }
        // What the client does not read, it has to wait with.
        case .open: events = peerFinished ? 0 : writer.outcome == .blocked ? Poll.peerShut : Int16(POLLIN)
        case .draining: events = Int16(POLLIN)
        case .stalled: events = Poll.peerShut
        case .closed: break
        }
        if writer.outcome == .blocked { events |= Int16(POLLOUT) }
        return events
    }

    /// When ``advance(now:)`` must be called even if nothing happened on the socket.
    var deadline: TimeInterval? {
        var deadline: TimeInterval? = readsAgainAt
        if case .until(let time) = writer.outcome { deadline = min(deadline ?? time, time) }
        if case .draining(let until) = phase { deadline = min(deadline ?? until, until) }
        return deadline
    }

    // MARK: What happens to it

    /// Takes what `poll` reported.
    func handle(_ events: Int16, now: TimeInterval) {
        if events & Int16(POLLIN) != 0 {
            receive(now: now)
        } else if Poll.isLost(events) {
            close()
        } else if Poll.peerHasShut(events) {
            peerFinished = true
        }
        advance(now: now)
    }

    /// Goes as far as it can without waiting.
    func advance(now: TimeInterval) {
        if let time = readsAgainAt, now >= time { readsAgainAt = nil }
        switch phase {
        case .draining(let until) where peerFinished || now >= until: return close()
        case .stalled where peerFinished: return close()
        case .draining, .stalled, .closed: return
        case .open: return converse(now: now)
        case .reading, .thinking, .answering: break
        }
        repeat {
            switch writer.run(on: channel, now: now) {
            case .idle: if phase == .answering { finishExchange(now: now) }
            case .blocked, .until: break
            case .perform(let action): return perform(action)
            case .failed: return close()
            }
        } while phase == .reading && readsAgainAt == nil && parse(now: now)
        guard successor == nil else { return }
        // Frames may have come with the handshake.
        if phase == .open { return converse(now: now) }
        let isIdle = phase == .reading && readsAgainAt == nil
        if peerFinished, isIdle || phase == .thinking || writer.isDelaying { close() }
    }

    /// The handler's answer. One that comes too late for its request is dropped.
    func receive(_ response: MockResponse, exchange: Int, now: TimeInterval) {
        guard phase == .thinking, exchange == self.exchange else { return }
        handlerTask = nil
        start(response)
        advance(now: now)
    }

    /// A fault that strikes before there is a request.
    func strike(_ response: MockResponse, now: TimeInterval) {
        closesAfterAnswer = true
        phase = .answering
        writer.append(ResponseScript(response, to: nil, mustClose: true).steps)
        advance(now: now)
    }

    func close(resetting: Bool) {
        guard phase != .closed else { return }
        if phase == .reading, parser.position != .head { record() }
        phase = .closed
        handlerTask?.cancel()
        handlerTask = nil
        writer.removeAll()
        if resetting { channel.reset() } else { channel.close() }
        services.journal.update { $0.open -= 1 }
    }

    // MARK: Reading

    private func receive(now: TimeInterval) {
        let isFirstByte = phase == .reading && parser.isAtStart && inbox.isEmpty
        let limit = readPace.map { max(1, $0 / 50) } ?? .max
        switch inbox.receive(from: channel, limit: limit) {
        case .bytes(let count):
            if case .draining = phase { inbox.removeAll() }
            if let readPace { readsAgainAt = now + Double(count) / Double(readPace) }
            if isFirstByte, let fault = services.dispatcher.takeFault(at: .beforeRequest) { strike(fault, now: now) }
        case .wouldBlock: break
        case .ended: peerFinished = true
        case .failed: close()
        }
    }

    /// Whether something came of it.
    private func parse(now: TimeInterval) -> Bool {
        guard !inbox.isEmpty else { return false }
        if exchange == 0, parser.isAtStart {
            switch HTTP2Preface.look(at: inbox.bytes, chosen: channel.applicationProtocol, services.versions) {
            case .http1: break
            case .undecided: return false
            case .http2:
                successor = HTTP2Connection(number: number, channel: channel, inbox: inbox, services: services)
                return false
            }
        }
        do {
            let count = try parser.consume(inbox.bytes)
            inbox.dropFirst(count)
            if parser.position == .afterHead, let head = parser.head {
                takeHead(head, now: now)
            } else if parser.position == .complete {
                takeRequest()
            } else if count == 0 {
                return false
            }
            if phase == .reading, let interruption, parser.bodyLength >= interruption.after {
                record()
                phase = .answering
                perform(interruption.action)
            }
            return phase != .closed
        } catch {
            refuse(error as? ProtocolError ?? ProtocolError(reason: String(describing: error)))
            return true
        }
    }

    private func takeHead(_ head: RequestHead, now: TimeInterval) {
        arrival = Date()
        let answer = services.dispatcher.answer(to: head)
        self.answer = answer
        if case .fixed(let response) = answer {
            switch response.fault?.point {
            case .onAccept, .beforeRequest: return strike(response, now: now)
            case .inRequestBody: interruption = response.fault?.action.map { (after: head.framing.half, $0) }
            default: break
            }
            if response.answersBeforeRequestBody, head.hasBody {
                record()
                return start(response, beforeBody: true)
            }
            readPace = head.hasBody ? response.requestBytesPerSecond : nil
        }
        // A client that has begun to send the body does not wait (RFC 9110, section 10.1.1).
        if head.expectsContinue, head.hasBody, services.sendsContinue, inbox.isEmpty {
            writer.append([.write("HTTP/1.1 100 Continue\r\n\r\n")])
        }
        parser.startBody()
        if parser.position == .complete { takeRequest() }
    }

    private func takeRequest() {
        guard interruption == nil || phase != .reading else { return }
        let request = record()
        switch answer {
        case .fixed(let response): start(response)
        case .ask(let handler): ask(handler, for: request)
        case nil: break
        }
    }

    @discardableResult
    private func record() -> RecordedRequest? {
        guard let head = parser.head else { return nil }
        let request = RecordedRequest(
            method: head.method, target: head.target, httpVersion: head.version, headers: head.headers,
            trailers: parser.trailers, body: parser.body, bodyLength: parser.bodyLength,
            isBodyComplete: parser.position == .complete || !head.hasBody, connection: number,
            indexOnConnection: exchange, stream: nil, arrival: arrival
        )
        services.journal.update { $0.record(request, limit: services.keptRequests) }
        return request
    }

    private func ask(_ handler: @escaping MockServer.Handler, for request: RecordedRequest?) {
        guard let request else { return }
        phase = .thinking
        handlerTask = Task { [mailbox = services.mailbox, number, exchange] in
            let response = await MockServer.answer(of: handler, to: request)
            mailbox.post(.answer(response, connection: number, exchange: exchange))
        }
    }

    // MARK: Answering

    func start(_ response: MockResponse, beforeBody: Bool = false) {
        if let socket = response.webSocket { return open(socket, response) }
        let script = ResponseScript(response, to: parser.head, mustClose: beforeBody)
        closesAfterAnswer = script.closes
        phase = .answering
        writer.append(script.steps)
    }

    private func refuse(_ error: ProtocolError) {
        services.journal.update { $0.protocolErrors.append(error.reason) }
        let script = ResponseScript(.text(error.reason + "\n", status: error.status), to: nil, mustClose: true)
        closesAfterAnswer = true
        phase = .answering
        writer.append(script.steps)
    }

    private func finishExchange(now: TimeInterval) {
        let hasUnreadRequest = parser.position != .complete
        guard !closesAfterAnswer else {
            // Closing with bytes unread would reset the connection and could take the answer with it.
            return hasUnreadRequest || !inbox.isEmpty ? drain(until: now + Self.patience) : close()
        }
        exchange += 1
        parser = RequestParser(keptBody: services.keptBody)
        answer = nil
        interruption = nil
        readPace = nil
        phase = .reading
    }

    func perform(_ action: Step.Action) {
        writer.removeAll()
        switch action {
        case .close:
            takeWhatIsThere()
            close()
        case .reset: close(resetting: true)
        case .halfClose: drain(until: .infinity)
        case .stall:
            phase = .stalled
            if peerFinished { close() }
        }
    }

    /// A close with bytes unread is a reset. What comes after this is the client's bad luck: such is a server that closes.
    private func takeWhatIsThere() {
        for _ in 0..<16 {
            guard case .bytes = inbox.receive(from: channel) else { return }
            inbox.removeAll()
        }
    }

    private func drain(until time: TimeInterval) {
        phase = .draining(until: time)
        inbox.removeAll()
        channel.shutdownWriting()
    }
}
