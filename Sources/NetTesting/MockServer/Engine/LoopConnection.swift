import NetCore

/// A connection as the event loop drives it, for each version of HTTP. A subclass exchanges messages; this class ends the connection.
///
/// It lives on the loop thread and never blocks. Each method returns with the connection waiting for ``events`` or ``deadline``.
class LoopConnection {
    /// What all connections of a server share.
    struct Services: Sendable {
        let dispatcher: Locked<Dispatcher>
        let journal = ConditionLock(Journal())
        let commands: CommandQueue
        /// The bytes of a request body that are kept.
        let keptBody: Int
        let keptRequests: Int
        let sendsContinue: Bool
        /// Nil for plain HTTP.
        let tls: TLSContext?
        let versions: MockHTTPVersions
        let http2: MockHTTP2Settings
    }

    /// The last phase of a connection, in which it exchanges no messages.
    enum Ending: Equatable {
        /// The server's half is shut. Received bytes are dropped until the client closes, or until that time.
        case draining(until: TimeInterval)
        /// The connection does nothing until the client closes.
        case stalled
        case closed
    }

    let number: Int
    let channel: Channel
    let services: Services
    let inbox: ByteQueue
    /// Nil while the connection exchanges messages.
    private(set) var ending: Ending?
    /// Whether the client has shut its half, or the whole connection.
    private(set) var peerFinished = false
    /// The certificate that the client showed, in DER. For use after the handshake.
    private(set) lazy var clientCertificate = channel.clientCertificate
    /// The connection that takes over once the client has chosen HTTP/2.
    var successor: LoopConnection?

    /// The seconds that a client may go on sending after the response. An earlier close would be a reset, which may lose the response.
    static let lingerTime: TimeInterval = 2

    init(number: Int, channel: Channel, inbox: ByteQueue, services: Services) {
        self.number = number
        self.channel = channel
        self.inbox = inbox
        self.services = services
    }

    // MARK: For subclasses

    /// The events of `poll` to wait for while messages are exchanged.
    var exchangeEvents: Int16 { 0 }
    /// When ``exchange(now:)`` must run even without an event.
    var exchangeDeadline: TimeInterval? { nil }
    /// The bytes to read from the socket at once.
    var readLimit: Int { .max }
    /// Called when bytes were added to the inbox.
    func didReceive(_ count: Int, now: TimeInterval) {}
    /// Exchanges messages as far as possible without waiting.
    func exchange(now: TimeInterval) {}
    /// Sends the response of a handler. A response that is too late for its request is dropped.
    func receive(_ response: MockResponse, exchange: Int, now: TimeInterval) {}
    /// Abandons what is exchanged. Called before the connection ends, perhaps twice.
    func cancelExchanges() {}
    func noteClosing(in journal: inout Journal) {}

    final var descriptor: Int32 { channel.socket.descriptor }
    final var isClosed: Bool { ending == .closed }
    /// Whether there are bytes to read that `poll` does not report.
    final var hasPendingBytes: Bool { events & Int16(POLLIN) != 0 && channel.hasPendingBytes }

    /// The events of `poll` to wait for.
    final var events: Int16 {
        switch ending {
        case nil: exchangeEvents
        case .draining: Int16(POLLIN)
        case .stalled: PollEvents.peerShut
        case .closed: 0
        }
    }

    /// When ``advance(now:)`` must be called even without an event.
    final var deadline: TimeInterval? {
        switch ending {
        case nil: exchangeDeadline
        case .draining(let until): until
        case .stalled, .closed: nil
        }
    }

    /// Handles the events that `poll` reported.
    final func handle(_ events: Int16, now: TimeInterval) {
        if events & Int16(POLLIN) != 0 {
            receive(now: now)
        } else if PollEvents.isLost(events) {
            close()
        } else if PollEvents.peerHasShut(events) {
            peerFinished = true
        }
        advance(now: now)
    }

    /// Continues as far as possible without waiting.
    final func advance(now: TimeInterval) {
        switch ending {
        case .draining(let until) where peerFinished || now >= until: close()
        case .stalled where peerFinished: close()
        case nil: exchange(now: now)
        default: break
        }
    }

    private func receive(now: TimeInterval) {
        switch inbox.receive(from: channel, limit: readLimit) {
        case .bytes(let count): if ending == nil { didReceive(count, now: now) } else { inbox.removeAll() }
        case .wouldBlock: break
        case .ended: peerFinished = true
        case .failed:
            guard ending == nil, channel.isBroken else { return close() }
            // A close with unread bytes would be a reset, which may reach the client before it reads the alert of TLS.
            cancelExchanges()
            drain(until: now + Self.lingerTime)
        }
    }

    /// Returns a request as far as it was received.
    final func request(
        _ head: RequestHead, body: ReceivedBody, trailers: HTTPHeaders, isBodyComplete: Bool, index: Int,
        stream: UInt32? = nil, arrival: Date
    ) -> RecordedRequest {
        RecordedRequest(
            method: head.method, target: head.target, httpVersion: head.version, headers: head.headers,
            trailers: trailers, body: body.data, bodyLength: body.length, isBodyComplete: isBodyComplete,
            connection: number, indexOnConnection: index, stream: stream.map { Int($0) }, arrival: arrival,
            clientCertificate: clientCertificate)
    }

    final func record(_ request: RecordedRequest) {
        services.journal.update { journal in
            journal.requests.append(request)
            if journal.requests.count > services.keptRequests { journal.requests.removeFirst() }
        }
    }

    /// Runs a handler in a task that posts the response to the loop.
    final func ask(_ handler: @escaping MockHandler, for request: RecordedRequest, exchange: Int) -> Task<Void, Never> {
        Task { [commands = services.commands, number] in
            let response: MockResponse
            do {
                response = try await handler(request)
            } catch {
                response = .text("The handler threw an error: \(error)", status: 500)
            }
            commands.post { $0.answer(response, connection: number, exchange: exchange) }
        }
    }

    final func perform(_ action: Step.Action) {
        cancelExchanges()
        switch action {
        case .close:
            // A close with unread bytes would be a reset. Bytes that arrive later reset the connection all the same.
            for _ in 0..<64 {
                guard case .bytes = inbox.receive(from: channel) else { break }
                inbox.removeAll()
            }
            close()
        case .reset: close(resetting: true)
        case .halfClose: drain(until: .infinity)
        case .stall:
            ending = .stalled
            if peerFinished { close() }
        }
    }

    /// Shuts the server's half.
    final func drain(until time: TimeInterval) {
        ending = .draining(until: time)
        inbox.removeAll()
        channel.shutdownWriting()
    }

    final func close(resetting: Bool = false) {
        guard !isClosed else { return }
        cancelExchanges()
        ending = .closed
        if resetting { channel.socket.reset() } else { channel.close() }
        services.journal.update {
            $0.open -= 1
            noteClosing(in: &$0)
        }
    }
}
