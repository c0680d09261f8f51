import NetCore

/// A connection that speaks HTTP/1.1: a parser of what arrives, a writer of what is sent, and the phase of the exchange.
final class Connection: LoopConnection {
    enum Phase: Equatable {
        /// Reads a request, or waits for one.
        case reading
        /// Waits for the response of a handler.
        case awaitingHandler
        /// Sends the response.
        case answering
        /// A WebSocket, on which both sides send at any time.
        case webSocket
    }

    /// The result of writing, which never waits: it says when to write again.
    private enum Outcome: Equatable {
        /// No step is left.
        case idle
        /// Write again when the socket takes bytes.
        case blocked
        /// Write again at that time.
        case until(TimeInterval)
        case perform(Step.Action)
        case failed
    }

    private var phase = Phase.reading
    private var parser: RequestParser
    private var steps = StepQueue()
    private var outcome = Outcome.idle
    private var exchange = 0
    private var arrival = Date()
    private var answer: Dispatcher.Answer?
    private var handlerTask: Task<Void, Never>?
    private var closesAfterAnswer = false
    /// A fault that strikes when that many bytes of the request's body were read.
    private var interruption: (after: Int64, action: Step.Action)?
    /// The bytes of the request's body to read per second.
    private var readPace: Int?
    private var readsAgainAt: TimeInterval?
    private var webSocket: WebSocketServer?

    /// The bytes of pipelined requests that wait here. More than that stay in the socket.
    private static let inboxLimit = 256 << 10

    init(number: Int, channel: Channel, services: Services) {
        parser = RequestParser(keptBody: services.keptBody)
        super.init(number: number, channel: channel, inbox: ByteQueue(), services: services)
    }

    override var exchangeEvents: Int16 {
        var events: Int16 = 0
        switch phase {
        case .reading: events = readsAgainAt == nil && !peerFinished ? Int16(POLLIN) : 0
        case .awaitingHandler, .answering:
            if !peerFinished { events = inbox.count < Self.inboxLimit ? Int16(POLLIN) : PollEvents.peerShut }
        // A client that does not read is not read from.
        case .webSocket: events = peerFinished ? 0 : outcome == .blocked ? PollEvents.peerShut : Int16(POLLIN)
        }
        if outcome == .blocked { events |= Int16(POLLOUT) }
        return events
    }

    override var exchangeDeadline: TimeInterval? {
        guard case .until(let time) = outcome else { return readsAgainAt }
        return min(readsAgainAt ?? time, time)
    }

    override func exchange(now: TimeInterval) {
        if let time = readsAgainAt, now >= time { readsAgainAt = nil }
        if phase == .webSocket { return exchangeFrames(now: now) }
        repeat {
            writeSteps(now: now)
            switch outcome {
            case .idle: if phase == .answering { finishExchange(now: now) }
            case .blocked, .until: break
            case .perform(let action): return perform(action)
            case .failed: return close()
            }
        } while ending == nil && phase == .reading && readsAgainAt == nil && parse(now: now)
        guard ending == nil, successor == nil else { return }
        // Frames may have come with the handshake.
        if phase == .webSocket { return exchangeFrames(now: now) }
        let isIdle = phase == .reading && readsAgainAt == nil
        if peerFinished, isIdle || phase == .awaitingHandler || steps.isDelaying { close() }
    }

    override func receive(_ response: MockResponse, exchange: Int, now: TimeInterval) {
        guard ending == nil, phase == .awaitingHandler, exchange == self.exchange else { return }
        handlerTask = nil
        start(response)
        advance(now: now)
    }

    /// Performs a fault that strikes before there is a request.
    func perform(_ response: MockResponse, now: TimeInterval) {
        start(response, to: nil, mustClose: true)
        advance(now: now)
    }

    override func cancelExchanges() {
        if ending == nil, phase == .reading, parser.position != .head { record() }
        phase = .answering
        handlerTask.take()?.cancel()
        steps = StepQueue()
        outcome = .idle
    }

    /// A head is read in small parts: what comes with it of the body is not paced.
    override var readLimit: Int { readPace.map { max(1, $0 / 50) } ?? (parser.position == .head ? 8 << 10 : .max) }

    override func didReceive(_ count: Int, now: TimeInterval) {
        if let readPace { readsAgainAt = now + Double(count) / Double(readPace) }
        guard phase == .reading, parser.isAtStart, inbox.count == count else { return }
        if let fault = services.dispatcher.withLock({ $0.takeFault(at: .beforeRequest) }) { perform(fault, now: now) }
    }

    /// Returns whether the exchange made progress.
    private func parse(now: TimeInterval) -> Bool {
        guard !inbox.isEmpty else { return false }
        if exchange == 0, parser.isAtStart {
            let isHTTP2 = HTTP2Preface.isChosen(inbox.bytes, chosen: channel.applicationProtocol, services.versions)
            if isHTTP2 == true {
                successor = HTTP2Connection(number: number, channel: channel, inbox: inbox, services: services)
            }
            guard isHTTP2 == false else { return false }
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
            if ending == nil, phase == .reading, let interruption, parser.body.length >= interruption.after {
                perform(interruption.action)
            }
            return ending == nil
        } catch {
            let error = error as? ProtocolError ?? ProtocolError(reason: String(describing: error))
            services.journal.update { $0.protocolErrors.append(error.reason) }
            start(.text(error.reason + "\n", status: error.status), to: nil, mustClose: true)
            return true
        }
    }

    private func takeHead(_ head: RequestHead, now: TimeInterval) {
        arrival = Date()
        let answer = services.dispatcher.withLock { $0.answer(to: head) }
        self.answer = answer
        if case .fixed(let response) = answer {
            switch response.fault?.point {
            case .onAccept, .beforeRequest: return perform(response, now: now)
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
            steps.append([.write("HTTP/1.1 100 Continue\r\n\r\n")])
        }
        parser.startBody()
        if parser.position == .complete { takeRequest() }
    }

    private func takeRequest() {
        guard interruption == nil || phase != .reading, let request = record() else { return }
        switch answer {
        case .fixed(let response): start(response)
        case .ask(let handler):
            phase = .awaitingHandler
            handlerTask = ask(handler, for: request, exchange: exchange)
        case nil: break
        }
    }

    @discardableResult
    private func record() -> RecordedRequest? {
        guard let head = parser.head else { return nil }
        let request = request(
            head, body: parser.body, trailers: parser.trailers,
            isBodyComplete: parser.position == .complete || !head.hasBody, index: exchange, arrival: arrival)
        record(request)
        return request
    }

    private func start(_ response: MockResponse, beforeBody: Bool = false) {
        if let socket = response.webSocket { return open(socket, response) }
        start(response, to: parser.head, mustClose: beforeBody)
    }

    private func start(_ response: MockResponse, to head: RequestHead?, mustClose: Bool) {
        let script = ResponseScript(response, to: head, mustClose: mustClose)
        closesAfterAnswer = script.closes
        phase = .answering
        steps.append(script.steps)
    }

    private func finishExchange(now: TimeInterval) {
        let hasUnreadRequest = parser.position != .complete
        guard !closesAfterAnswer else {
            return hasUnreadRequest || !inbox.isEmpty ? drain(until: now + Self.lingerTime) : close()
        }
        exchange += 1
        parser = RequestParser(keptBody: services.keptBody)
        answer = nil
        interruption = nil
        readPace = nil
        phase = .reading
    }

    /// Accepts the opening handshake of a WebSocket, or answers 426 to another request.
    private func open(_ socket: MockWebSocket, _ response: MockResponse) {
        guard let server = WebSocketServer(socket, for: parser.head, headers: response.headers) else {
            return start(
                .text("This is for WebSockets (RFC 6455).\n", status: 426).header("Upgrade", "websocket")
                    .header("Sec-WebSocket-Version", "13"))
        }
        webSocket = server
        phase = .webSocket
        steps.append((response.delay > 0 ? [.wait(response.delay)] : []) + server.opening)
    }

    private func exchangeFrames(now: TimeInterval) {
        if !inbox.isEmpty, let replies = webSocket?.receive(Data(inbox.bytes)) {
            inbox.removeAll()
            steps.append(replies)
        }
        writeSteps(now: now)
        switch outcome {
        case .idle, .blocked, .until: if peerFinished { close() }
        case .perform(let action): perform(action)
        case .failed: close()
        }
    }

    /// Performs the steps as far as the socket and the time allow.
    private func writeSteps(now: TimeInterval) {
        var budget = StepQueue.turn
        while let step = steps.due(now: now) {
            if case .write(let data, _) = step {
                guard budget > 0 else { return outcome = .blocked }
                let offset = Int(steps.written % Int64(data.count))
                let count = min(data.count - offset, steps.allowance)
                let written = data.withUnsafeBytes {
                    channel.write(UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
                }
                switch written {
                case .bytes(let count):
                    budget -= count
                    steps.wrote(count, now: now)
                case .wouldBlock: return outcome = .blocked
                case .ended, .failed: return outcome = .failed
                }
                continue
            }
            steps.finish()
            if case .perform(let action) = step { return outcome = .perform(action) }
            if case .hold = step { return outcome = .perform(.stall) }
        }
        outcome = steps.resumesAt.map(Outcome.until) ?? .idle
    }
}
