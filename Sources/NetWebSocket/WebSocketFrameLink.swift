import NetCore

/// A link that speaks RFC 6455 over a connection of bytes.
final class WebSocketFrameLink: WebSocketLink {
    private struct State {
        var closure = WebSocket.Closure(code: .abnormalClosure)
        var hasSentClose = false
        var hasReceivedClose = false
        /// A task of its own answers pings, so that a peer that does not read cannot stop the reading, and of many only the last (RFC 6455,
        /// section 5.5.3).
        var isAnswering = false
        var answers: [Data] = []
        /// The numbers of the last ping and of the last one that was answered.
        var lastPing: UInt64 = 0
        var lastPong: UInt64 = 0
        /// The pings that wait, and the error after which none is answered.
        var pings = WaiterList<Bool>()
        var ending: (any Error)?
    }

    private static let waitingAnswers = 64

    private let channel: any ByteChannel
    private let state = Locked(State())
    /// Used by the reader only, so that decompressing does not make senders wait.
    private let input: Locked<WebSocketInput>
    /// Used by the holder of ``sending`` only. Nil if compression was not negotiated.
    private let deflater: Locked<WebSocketDeflater>?
    private let sending = AsyncMutex()
    private let fragmentSize: Int?
    private let clock: any NetworkClock
    private let closeTimeout: TimeInterval

    init(
        _ channel: any ByteChannel, options: WebSocket.Options, compression: WebSocket.Compression?,
        clock: any NetworkClock
    ) {
        self.channel = channel
        self.clock = clock
        fragmentSize = options.fragmentSize.map { max(1, $0) }
        closeTimeout = options.closeTimeout
        input = Locked(
            WebSocketInput(
                role: .client, maximumMessageSize: options.maximumMessageSize, compression: compression))
        deflater = compression.map { Locked(WebSocketDeflater($0, of: .client)) }
    }

    var closure: WebSocket.Closure { state.withLock(\.closure) }

    func receive() async throws -> WebSocket.Message? {
        do {
            while true {
                while let event = try input.withLock({ (input) throws(WebSocketError) in try input.next() }) {
                    switch event {
                    case .message(let message): return message
                    case .ping(let payload): answer(payload)
                    case .pong(let payload): handlePong(payload)
                    case .close(let closure):
                        state.withLock { state in
                            state.closure = closure
                            state.hasReceivedClose = true
                        }
                        endPings(WebSocketError.closed(closure))
                        return nil
                    }
                }
                guard let bytes = try await channel.receive() else {
                    throw TransportError(
                        .connectionLost, phase: .receivingBody, message: "The connection ended without a Close frame.",
                        isUnprocessed: false)
                }
                input.withLock { $0.append(bytes) }
            }
        } catch {
            endPings(error)
            throw error
        }
    }

    private func answer(_ payload: Data) {
        let begins = state.withLock { state -> Bool in
            if state.answers.count >= Self.waitingAnswers { state.answers.removeFirst() }
            state.answers.append(payload)
            defer { state.isAnswering = true }
            return !state.isAnswering
        }
        guard begins else { return }
        Task {
            while let payload = nextAnswer() {
                // The reader meets the same error, and reports it.
                try? await channel.send(WebSocketFrame(opcode: .pong, payload: payload).masked())
            }
        }
    }

    private func nextAnswer() -> Data? {
        state.withLock { state in
            guard !state.answers.isEmpty, !state.hasSentClose else {
                state.isAnswering = false
                return nil
            }
            return state.answers.removeFirst()
        }
    }

    func send(_ message: WebSocket.Message) async throws {
        let (opcode, payload) = (message.text == nil ? WebSocketOpcode.binary : .text, message.data)
        guard let deflater else {
            try checkIsOpen()
            return try await channel.send(frames(opcode, payload))
        }
        // The peer must get messages in the order in which they were compressed, and miss none.
        guard await sending.lock() else { throw CancellationError() }
        defer { sending.unlock() }
        try checkIsOpen()
        let compressed = deflater.withLock { $0.compress(payload) }
        do {
            try await channel.send(frames(opcode, compressed ?? payload, isCompressed: compressed != nil))
        } catch {
            // Later messages must not refer to one that was not sent.
            deflater.withLock { $0.reset() }
            throw error
        }
    }

    private func checkIsOpen() throws {
        try state.withLock { state in
            guard !state.hasSentClose, !state.hasReceivedClose else { throw WebSocketError.closed(state.closure) }
        }
    }

    /// Returns the frames of a message. They are one write: no other frame comes between them, and no half message is sent.
    private func frames(_ opcode: WebSocketOpcode, _ payload: Data, isCompressed: Bool = false) -> Data {
        guard let fragmentSize, payload.count > fragmentSize else {
            return WebSocketFrame(isCompressed: isCompressed, opcode: opcode, payload: payload).masked()
        }
        var bytes = Data()
        var isCompressed = isCompressed
        var rest = payload[...]
        var opcode = opcode
        while !rest.isEmpty {
            let part = rest.prefix(fragmentSize)
            rest = rest.dropFirst(fragmentSize)
            WebSocketFrame(isFinal: rest.isEmpty, isCompressed: isCompressed, opcode: opcode, payload: Data(part))
                .append(to: &bytes, mask: WebSocketMask.randomKey())
            opcode = .continuation
            isCompressed = false
        }
        return bytes
    }

    func ping() async throws {
        let number = try state.withLock { state in
            if let ending = state.ending { throw ending }
            guard !state.hasSentClose else { throw WebSocketError.closed(state.closure) }
            state.lastPing += 1
            return state.lastPing
        }
        let payload = withUnsafeBytes(of: number.bigEndian) { Data($0) }
        try await channel.send(WebSocketFrame(opcode: .ping, payload: payload).masked())
        let isOver: @Sendable (inout State) -> Bool? = { $0.lastPong >= number || $0.ending != nil ? true : nil }
        while await !state.wait(in: \.pings, cancelled: true, unless: isOver) {}
        try state.withLock { state in if state.lastPong < number { throw state.ending ?? CancellationError() } }
    }

    /// Ends the ping of a pong and all earlier ones, since a peer may answer only the last (RFC 6455, section 5.5.3). An unsolicited pong is ignored.
    private func handlePong(_ payload: Data) {
        guard payload.count == 8 else { return }
        let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let pings = state.withLock { state in
            let isNew = number <= state.lastPing && number > state.lastPong
            if isNew { state.lastPong = number }
            return isNew ? state.pings.popAll() : []
        }
        for ping in pings { ping.resume(returning: false) }
    }

    /// Fails all pings, now and later.
    private func endPings(_ error: any Error) {
        let pings = state.withLock { state in
            state.ending = state.ending ?? error
            return state.pings.popAll()
        }
        for ping in pings { ping.resume(returning: false) }
    }

    func close(_ closure: WebSocket.Closure) async throws {
        let isFirst = state.withLock { state in
            defer { state.hasSentClose = true }
            return !state.hasSentClose
        }
        guard isFirst else { return }
        try await channel.send(WebSocketFrame(opcode: .close, payload: closure.payload).masked())
    }

    func leave(after failure: (any Error)?) async {
        let code = (failure as? WebSocketError)?.closeCode
        if let answer = failure == nil ? closure : code.map({ WebSocket.Closure(code: $0) }) {
            // The server closes the connection first (RFC 6455, section 7.1.1), so that its side holds the port in TIME_WAIT.
            _ = try? await clock.run(for: closeTimeout) { [self] in
                try await close(answer)
                while try await channel.receive() != nil {}
            }
        }
        drop()
    }

    func drop() {
        channel.close()
        endPings(CancellationError())
    }
}

extension WebSocketFrame {
    fileprivate func masked() -> Data { encoded(mask: WebSocketMask.randomKey()) }
}
