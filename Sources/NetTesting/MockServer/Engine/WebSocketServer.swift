import NetCore
import NetWebSocket

/// The server's end of one WebSocket.
struct WebSocketServer {
    private var input = WebSocketInput(role: .server, maximumMessageSize: 64 << 20)
    private let echoes: Bool
    /// Whether a Close frame was sent, which nothing may follow.
    private var hasClosed: Bool

    init(_ socket: MockWebSocket) {
        echoes = socket.echoes
        hasClosed = socket.steps.contains { if case .close = $0 { true } else { false } }
    }

    /// The response to the opening handshake (RFC 6455, section 4.2.2), and the steps after it. Nil if the request is not a handshake.
    static func opening(_ socket: MockWebSocket, for head: RequestHead?, headers: HTTPHeaders) -> [Step]? {
        guard let head, head.method == .get, head.headers["Sec-WebSocket-Version"] == "13",
            let key = head.headers["Sec-WebSocket-Key"], Data(base64Encoded: key)?.count == 16,
            head.headers["Upgrade"]?.equalsIgnoringASCIICase("websocket") == true
        else { return nil }
        var fields = headers
        fields.add(name: "Upgrade", value: "websocket")
        fields.add(name: "Connection", value: "Upgrade")
        fields.add(name: "Sec-WebSocket-Accept", value: WebSocketHandshake.accept(for: key))
        if let subprotocol = socket.subprotocol { fields.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        return [.write(ResponseScript.head(101, nil, fields))] + socket.steps.flatMap(\.steps)
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
        case .message(let message): return echoes && !hasClosed ? [.write(message.frame.encoded(mask: nil))] : []
        case .ping(let payload):
            return hasClosed ? [] : [.write(WebSocketFrame(opcode: .pong, payload: payload).encoded(mask: nil))]
        case .pong: return []
        case .close(let closure):
            defer { hasClosed = true }
            return (hasClosed ? [] : [.close(closure)]) + [.perform(.halfClose)]
        }
    }
}

extension Step {
    fileprivate static func close(_ closure: WebSocket.Closure) -> Step {
        .write(WebSocketFrame(opcode: .close, payload: closure.payload).encoded(mask: nil))
    }
}

extension WebSocket.Message {
    fileprivate var frame: WebSocketFrame { WebSocketFrame(opcode: text == nil ? .binary : .text, payload: data) }
}

extension MockWebSocket.Step {
    fileprivate var steps: [Step] {
        switch self {
        case .message(let message): [.write(message.frame.encoded(mask: nil))]
        case .fragmented(let message, let frames): Self.fragments(message, frames)
        case .ping(let payload):
            [.write(WebSocketFrame(opcode: .ping, payload: payload.prefix(125)).encoded(mask: nil))]
        case .pause(let seconds): [.wait(seconds)]
        case .close(let code, let reason): [.close(WebSocket.Closure(code: code, reason: reason))]
        case .raw(let data): data.isEmpty ? [] : [.write(data)]
        case .drop: [.perform(.close)]
        case .reset: [.perform(.reset)]
        }
    }

    private static func fragments(_ message: WebSocket.Message, _ count: Int) -> [Step] {
        let (data, whole) = (message.data, message.frame)
        let count = max(1, min(count, max(1, data.count)))
        let size = max(1, (data.count + count - 1) / count)
        let pieces =
            data.isEmpty ? [data] : stride(from: 0, to: data.count, by: size).map { data.dropFirst($0).prefix(size) }
        return pieces.enumerated().map { offset, piece in
            let frame = WebSocketFrame(
                isFinal: offset == pieces.count - 1, opcode: offset == 0 ? whole.opcode : .continuation,
                payload: Data(piece))
            return .write(frame.encoded(mask: nil))
        }
    }
}
