import NetCore

/// Assembles messages from a peer's frames, and returns control frames as they arrive (RFC 6455, sections 5.4 to 5.6).
package struct WebSocketInput {
    package enum Event: Hashable, Sendable {
        case message(WebSocket.Message)
        case ping(Data)
        case pong(Data)
        /// A Close frame. Bytes after it are ignored.
        case close(WebSocket.Closure)
    }

    private var decoder: WebSocketFrameDecoder
    private let maximumMessageSize: Int
    /// The opcode of the message that is being assembled.
    private var opcode: WebSocketOpcode?
    private var message = Data()
    /// Decompresses messages, or nil if compression was not negotiated.
    private var inflater: WebSocketInflater?
    /// Whether the message that is being assembled is compressed.
    private var isCompressed = false
    private var check = UTF8Check()
    private var isClosed = false

    /// - Parameter maximumMessageSize: the limit in bytes for all fragments of a message together, decompressed.
    package init(role: WebSocketRole, maximumMessageSize: Int, compression: WebSocket.Compression? = nil) {
        self.maximumMessageSize = max(0, maximumMessageSize)
        inflater = compression.map { WebSocketInflater($0, of: role, maximumMessageSize: max(0, maximumMessageSize)) }
        decoder = WebSocketFrameDecoder(
            role: role, payloadLimit: self.maximumMessageSize, compressedLimit: inflater?.limit)
    }

    package mutating func append(_ bytes: Data) { if !isClosed { decoder.append(bytes) } }

    /// Returns the next event, or nil if more bytes are needed.
    ///
    /// - Throws: ``WebSocketError``. After it the input cannot be read.
    package mutating func next() throws(WebSocketError) -> Event? {
        do { return try event() } catch {
            throw error.code == .messageTooLarge ? .tooLarge(limit: maximumMessageSize) : error
        }
    }

    private mutating func event() throws(WebSocketError) -> Event? {
        while !isClosed {
            let room = maximumMessageSize - message.count
            decoder.payloadLimit = isCompressed ? inflater?.rest ?? 0 : room
            guard let frame = try decoder.next() else { return nil }
            switch frame.opcode {
            case .ping: return .ping(frame.payload)
            case .pong: return .pong(frame.payload)
            case .close:
                isClosed = true
                return .close(try WebSocket.Closure(payload: frame.payload))
            case .text, .binary:
                guard opcode == nil else { throw .violation("A message begins inside another one.") }
                opcode = frame.opcode
                isCompressed = frame.isCompressed
            case .continuation:
                guard opcode != nil else { throw .violation("A continuation frame has no message to continue.") }
            }
            let payload = isCompressed ? try inflater?.decompress(frame, limit: room) : frame.payload
            if let message = try take(payload ?? frame.payload, isLast: frame.isFinal) { return .message(message) }
        }
        return nil
    }

    /// Adds a fragment, and returns the message if it is the last.
    private mutating func take(_ payload: Data, isLast: Bool) throws(WebSocketError) -> WebSocket.Message? {
        if opcode == .text {
            guard payload.withUnsafeBytes({ check.accept($0) }), !isLast || check.isComplete else { throw .invalidText }
        }
        if message.isEmpty { message = payload } else { message.append(payload) }
        guard isLast else { return nil }
        defer {
            opcode = nil
            isCompressed = false
            message = Data()
        }
        return opcode == .text ? .text(String(decoding: message, as: UTF8.self)) : .binary(message)
    }
}

/// Validates UTF-8 (RFC 3629) in pieces. A piece may end inside a character.
struct UTF8Check {
    /// The number of bytes that the current character still needs. The next one has to be in ``range``.
    private var missing = 0
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the bytes so far end with a complete character.
    var isComplete: Bool { missing == 0 }

    /// Returns whether the bytes so far are valid, or may become so.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                // Most text is ASCII: check eight bytes at a time.
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                { index += 8 }
                guard index < bytes.count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                guard range.contains(bytes[index]) else { return false }
                range = 0x80...0xBF
                missing -= 1
            }
            index += 1
        }
        return true
    }

    /// Reads the first byte of a character. Its range for the second byte excludes overlong forms, surrogates and values above U+10FFFF.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, range) = (2, 0xA0...0xBF)
        case 0xED: (missing, range) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, range) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, range) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
