import NetCore

/// Finds the frames in a stream of bytes, however it is cut (RFC 6455, section 5.2). What breaks the rules is an error as soon as it
/// can be seen, before its payload has come.
struct WebSocketFrameDecoder {
    private let role: WebSocketRole
    private var buffer = Data()
    /// Where the first frame begins that was not given yet.
    private var start = 0
    /// The largest payload of a data frame, in bytes.
    var payloadLimit: Int

    /// - Parameter role: whose end this is: a client accepts what is not masked, a server what is.
    init(role: WebSocketRole, payloadLimit: Int) {
        self.role = role
        self.payloadLimit = payloadLimit
    }

    private struct Header {
        var isFinal: Bool
        var opcode: WebSocketOpcode
        var length: Int
        var mask: UInt32?
        var size: Int
    }

    mutating func append(_ bytes: Data) {
        if start == buffer.count {
            buffer = bytes
            // A slice has indices of its own.
            start = buffer.startIndex
            if start != 0 {
                buffer = Data(bytes)
                start = 0
            }
            return
        }
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer.append(bytes)
    }

    /// The next whole frame, or nil if more bytes are needed.
    ///
    /// - Throws: ``WebSocketError`` for what no peer may send. The stream cannot be read on.
    mutating func next() throws(WebSocketError) -> WebSocketFrame? {
        guard let header = try header() else { return nil }
        let begin = start + header.size
        guard buffer.count - begin >= header.length else { return nil }
        var payload = Data(buffer[begin..<begin + header.length])
        start = begin + header.length
        if start == buffer.count {
            buffer = Data()
            start = 0
        }
        if let mask = header.mask {
            payload.withUnsafeMutableBytes { WebSocketMask.apply(mask, to: $0) }
        }
        return WebSocketFrame(isFinal: header.isFinal, opcode: header.opcode, payload: payload)
    }

    private func header() throws(WebSocketError) -> Header? {
        let available = buffer.count - start
        guard available >= 2 else { return nil }
        let first = buffer[start]
        let second = buffer[start + 1]
        guard first & 0x70 == 0 else {
            throw .violation("A reserved bit is set, though no extension was agreed on.")
        }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
            throw .violation("The opcode \(first & 0x0F) is reserved.")
        }
        let isFinal = first & 0x80 != 0
        let isMasked = second & 0x80 != 0
        guard isMasked == (role == .server) else {
            throw .violation(isMasked ? "A server must not mask." : "A client has to mask.")
        }
        let short = Int(second & 0x7F)
        if opcode.isControl {
            guard isFinal else { throw .violation("A control frame is fragmented.") }
            guard short <= WebSocketFrame.longestControlPayload else {
                throw .violation("A control frame is longer than 125 bytes.")
            }
        }
        let lengthSize = short == 126 ? 2 : short == 127 ? 8 : 0
        guard available >= 2 + lengthSize else { return nil }
        let length = try length(short, size: lengthSize)
        if !opcode.isControl, length > UInt64(max(0, payloadLimit)) {
            throw .tooLarge
        }
        var header = Header(
            isFinal: isFinal, opcode: opcode, length: Int(clamping: length), mask: nil, size: 2 + lengthSize)
        guard isMasked else { return header }
        guard available >= header.size + 4 else { return nil }
        header.mask = (0..<4).reduce(0) { $0 << 8 | UInt32(buffer[start + header.size + $1]) }
        header.size += 4
        return header
    }

    private func length(_ short: Int, size: Int) throws(WebSocketError) -> UInt64 {
        guard size > 0 else { return UInt64(short) }
        var length: UInt64 = 0
        for index in 0..<size { length = length << 8 | UInt64(buffer[start + 2 + index]) }
        guard length >= (size == 2 ? 126 : 0x1_0000) else {
            throw .violation("A length is not written in the shortest way.")
        }
        guard length <= UInt64(Int64.max) else { throw .violation("The first bit of a length is set.") }
        return length
    }
}
