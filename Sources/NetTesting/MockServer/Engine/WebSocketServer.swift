import NetCore
import NetWebSocket

/// The server's end of one WebSocket.
struct WebSocketServer {
    private var input: WebSocketInput
    private var deflater: WebSocketDeflater?
    private let echoes: Bool
    /// Whether a Close frame was sent, which nothing may follow.
    private var hasClosed: Bool
    /// The response to the opening handshake (RFC 6455, section 4.2.2), and the steps after it.
    private(set) var opening: [Step]

    /// Nil if the request is not a handshake.
    init?(_ socket: MockWebSocket, for head: RequestHead?, headers: HTTPHeaders) {
        guard let head, head.method == .get, head.headers["Sec-WebSocket-Version"] == "13",
            let key = head.headers["Sec-WebSocket-Key"], Data(base64Encoded: key)?.count == 16,
            head.headers["Upgrade"]?.equalsIgnoringASCIICase("websocket") == true
        else { return nil }
        var fields = headers
        fields.add(name: "Upgrade", value: "websocket")
        fields.add(name: "Connection", value: "Upgrade")
        fields.add(name: "Sec-WebSocket-Accept", value: WebSocketHandshake.accept(for: key))
        if let subprotocol = socket.subprotocol { fields.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        let compression = head.headers.values(for: "Sec-WebSocket-Extensions").lazy.flatMap { $0.listMembers() }
            .compactMap { WebSocket.Compression(element: $0, isOffer: true) }
            .compactMap { socket.compression?.answer(to: $0) }.first
        if let compression {
            fields.add(name: "Sec-WebSocket-Extensions", value: compression.element(isOffer: false))
        }
        echoes = socket.echoes
        hasClosed = socket.steps.contains { if case .close = $0 { true } else { false } }
        input = WebSocketInput(role: .server, maximumMessageSize: 64 << 20, compression: compression)
        deflater = compression.map { WebSocketDeflater($0, of: .server) }
        opening = [.write(ResponseScript.head(101, nil, fields))]
        for step in socket.steps { opening += steps(of: step) }
    }

    /// Returns the steps that answer the received bytes.
    mutating func receive(_ bytes: Data) -> [Step] {
        input.append(bytes)
        var steps: [Step] = []
        do {
            while let event = try input.next() { steps += answer(to: event) }
        } catch {
            steps += [.close(WebSocket.Closure(code: error.closeCode ?? .protocolError)), .perform(.halfClose)]
        }
        return steps
    }

    private mutating func answer(to event: WebSocketInput.Event) -> [Step] {
        switch event {
        case .message(let message): return echoes && !hasClosed ? frames(of: message) : []
        case .ping(let payload):
            return hasClosed ? [] : [.write(WebSocketFrame(opcode: .pong, payload: payload).encoded(mask: nil))]
        case .pong: return []
        case .close(let closure):
            defer { hasClosed = true }
            return (hasClosed ? [] : [.close(closure)]) + [.perform(.halfClose)]
        }
    }

    private mutating func steps(of step: MockWebSocket.Step) -> [Step] {
        switch step {
        case .message(let message): frames(of: message)
        case .fragmented(let message, let count): frames(of: message, count)
        case .ping(let payload):
            [.write(WebSocketFrame(opcode: .ping, payload: payload.prefix(125)).encoded(mask: nil))]
        case .pause(let seconds): [.wait(seconds)]
        case .close(let code, let reason): [.close(WebSocket.Closure(code: code, reason: reason))]
        case .raw(let data): data.isEmpty ? [] : [.write(data)]
        case .drop: [.perform(.close)]
        case .reset: [.perform(.reset)]
        }
    }

    private mutating func frames(of message: WebSocket.Message, _ count: Int = 1) -> [Step] {
        let compressed = deflater?.compress(message.data)
        let data = compressed ?? message.data
        let opcode: WebSocketOpcode = message.text == nil ? .binary : .text
        let count = max(1, min(count, max(1, data.count)))
        let size = max(1, (data.count + count - 1) / count)
        let pieces =
            data.isEmpty ? [data] : stride(from: 0, to: data.count, by: size).map { data.dropFirst($0).prefix(size) }
        return pieces.enumerated().map { offset, piece in
            let frame = WebSocketFrame(
                isFinal: offset == pieces.count - 1, isCompressed: compressed != nil && offset == 0,
                opcode: offset == 0 ? opcode : .continuation, payload: Data(piece))
            return .write(frame.encoded(mask: nil))
        }
    }
}

extension Step {
    fileprivate static func close(_ closure: WebSocket.Closure) -> Step {
        .write(WebSocketFrame(opcode: .close, payload: closure.payload).encoded(mask: nil))
    }
}

extension WebSocket.Compression {
    /// Returns what this server agrees on with a client, or nil to decline: zlib cannot compress with a window of 256 bytes.
    fileprivate func answer(to offer: Self) -> Self? {
        guard offer.serverMaxWindowBits != 8 else { return nil }
        var answer = self
        answer.serverNoContextTakeover = serverNoContextTakeover || offer.serverNoContextTakeover
        answer.clientNoContextTakeover = clientNoContextTakeover || offer.clientNoContextTakeover
        answer.serverMaxWindowBits = max(9, min(serverMaxWindowBits ?? 15, offer.serverMaxWindowBits ?? 15))
        answer.clientMaxWindowBits = offer.clientMaxWindowBits.map { min(clientMaxWindowBits ?? 15, $0) }
        return answer
    }
}
