/// Frames of WebSockets (RFC 6455, section 5), of a client.
enum SocketFrames {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    static func frame(_ opcode: Opcode, _ payload: Data) -> Data {
        var frame = Data([0x80 | opcode.rawValue])
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536:
            frame.append(0x80 | 126)
            withUnsafeBytes(of: UInt16(payload.count).bigEndian) { frame.append(contentsOf: $0) }
        default:
            frame.append(0x80 | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { frame.append(contentsOf: $0) }
        }
        let mask = (0..<4).map { _ in UInt8.random(in: .min ... .max) }
        frame.append(contentsOf: mask)
        frame.append(contentsOf: payload.enumerated().map { $1 ^ mask[$0 & 3] })
        return frame
    }

    static func close(_ code: Int, _ reason: Data?) -> Data {
        guard code >= 1000, code < 5000, code != 1005, code != 1006 else { return frame(.close, Data()) }
        return frame(.close, Data([UInt8(code >> 8), UInt8(code & 0xff)]) + (reason ?? Data()).prefix(123))
    }
}

/// Puts frames of a server together.
struct SocketParser {
    enum Event {
        case message(URLSessionWebSocketTask.Message)
        case ping(Data)
        case pong
        case close(code: Int, reason: Data?)
    }

    /// What the server does not keep to, with the code to close with.
    struct Violation: Error { let code: Int }

    private var buffer: [UInt8] = []
    private var kind: SocketFrames.Opcode?
    private var message = Data()

    mutating func append(_ bytes: some Sequence<UInt8>) { buffer.append(contentsOf: bytes) }

    /// Nil if more bytes are needed.
    mutating func next(limit: Int) throws -> Event? {
        while let (opcode, isLast, payload) = try nextFrame(limit: limit) {
            switch opcode {
            case .ping: return .ping(payload)
            case .pong: return .pong
            case .close: return try closing(payload)
            case .text, .binary:
                guard kind == nil else { throw Violation(code: 1002) }
                (kind, message) = (opcode, payload)
            case .continuation:
                guard kind != nil else { throw Violation(code: 1002) }
                message.append(payload)
            }
            guard isLast else { continue }
            defer { (kind, message) = (nil, Data()) }
            guard kind == .text else { return .message(.data(message)) }
            guard let text = String(data: message, encoding: .utf8) else { throw Violation(code: 1007) }
            return .message(.string(text))
        }
        return nil
    }

    private func closing(_ payload: Data) throws -> Event {
        guard payload.count != 1 else { throw Violation(code: 1002) }
        guard payload.count >= 2 else { return .close(code: 1005, reason: nil) }
        let bytes = [UInt8](payload)
        let reason = Data(bytes.dropFirst(2))
        return .close(code: Int(bytes[0]) << 8 | Int(bytes[1]), reason: reason.isEmpty ? nil : reason)
    }

    private mutating func nextFrame(limit: Int) throws -> (SocketFrames.Opcode, Bool, Data)? {
        guard buffer.count >= 2 else { return nil }
        // No extension was agreed on, and servers do not mask.
        guard buffer[0] & 0x70 == 0, buffer[1] & 0x80 == 0, let opcode = SocketFrames.Opcode(rawValue: buffer[0] & 0x0f)
        else { throw Violation(code: 1002) }
        let isLast = buffer[0] & 0x80 != 0
        var length = UInt64(buffer[1])
        var start = 2
        if length >= 126 {
            let size = length == 126 ? 2 : 8
            guard buffer.count >= 2 + size else { return nil }
            length = buffer[2..<2 + size].reduce(0) { $0 << 8 | UInt64($1) }
            start += size
        }
        if opcode.rawValue >= 8 {
            guard isLast, length < 126 else { throw Violation(code: 1002) }
        } else if length > UInt64(max(0, limit - message.count)) {
            throw Violation(code: 1009)
        }
        guard buffer.count >= start + Int(length) else { return nil }
        let payload = Data(buffer[start..<start + Int(length)])
        buffer.removeFirst(start + Int(length))
        return (opcode, isLast, payload)
    }
}
