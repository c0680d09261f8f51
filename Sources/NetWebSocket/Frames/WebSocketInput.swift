import NetCore

/// What a peer says, frame by frame put together: messages whole, control frames as they come (RFC 6455, sections 5.4 to 5.6).
package struct WebSocketInput {
    package enum Event: Hashable, Sendable {
        case message(WebSocketMessage)
        case ping(Data)
        case pong(Data)
        /// Nothing after it counts.
        case close(WebSocketClosure)
    }

    private var decoder: WebSocketFrameDecoder
    private let maximumMessageSize: Int
    /// The message that is being put together, and its opcode.
    private var opcode: WebSocketOpcode?
    private var message = Data()
    private var check = UTF8Check()
    private var isClosed = false

    /// - Parameter maximumMessageSize: in bytes, all fragments of a message together.
    package init(role: WebSocketRole, maximumMessageSize: Int) {
        self.maximumMessageSize = max(0, maximumMessageSize)
        decoder = WebSocketFrameDecoder(role: role, payloadLimit: self.maximumMessageSize)
    }

    package mutating func append(_ bytes: Data) {
        if !isClosed { decoder.append(bytes) }
    }

    /// What comes next, or nil if more bytes are needed for it.
    ///
    /// - Throws: ``WebSocketError``, after which nothing more can be read.
    package mutating func next() throws(WebSocketError) -> Event? {
        while !isClosed {
            decoder.payloadLimit = maximumMessageSize - message.count
            guard let frame = try frame() else { return nil }
            switch frame.opcode {
            case .ping: return .ping(frame.payload)
            case .pong: return .pong(frame.payload)
            case .close:
                isClosed = true
                return .close(try WebSocketClosure(payload: frame.payload))
            case .text, .binary:
                guard opcode == nil else { throw .violation("A message begins within another one.") }
                opcode = frame.opcode
            case .continuation:
                guard opcode != nil else { throw .violation("A fragment continues no message.") }
            }
            if let message = try take(frame) { return .message(message) }
        }
        return nil
    }

    private mutating func frame() throws(WebSocketError) -> WebSocketFrame? {
        do {
            return try decoder.next()
        } catch {
            throw error.code == .messageTooLarge ? .tooLarge(limit: maximumMessageSize) : error
        }
    }

    /// The whole message, if this was its last fragment.
    private mutating func take(_ frame: WebSocketFrame) throws(WebSocketError) -> WebSocketMessage? {
        if opcode == .text {
            guard frame.payload.withUnsafeBytes({ check.accept($0) }), !frame.isFinal || check.isComplete else {
                throw .invalidText
            }
        }
        if message.isEmpty { message = frame.payload } else { message.append(frame.payload) }
        guard frame.isFinal else { return nil }
        defer {
            opcode = nil
            message = Data()
        }
        return opcode == .text ? .text(String(decoding: message, as: UTF8.self)) : .binary(message)
    }
}
