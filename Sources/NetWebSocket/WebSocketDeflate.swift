import NetCore

/// Every compressed message ends with these bytes, which are not sent (RFC 7692, section 7.2.1).
private let tail = Data([0x00, 0x00, 0xFF, 0xFF])

/// Compresses the messages of one end (RFC 7692, section 7.2.1).
package struct WebSocketDeflater {
    private let compression: WebSocket.Compression
    private let windowBits: Int32
    private let keepsContext: Bool
    private var compressor: Compressor?

    /// Creates the deflater of the end that sends.
    package init(_ compression: WebSocket.Compression, of role: WebSocketRole) {
        self.compression = compression
        windowBits = compression.windowBits(of: role)
        keepsContext = compression.keepsContext(of: role)
    }

    /// Returns the payload of a compressed message, or nil to send the message as it is: it is small, or memory is missing.
    package mutating func compress(_ message: Data) -> Data? {
        guard message.count >= compression.minimumMessageSize else { return nil }
        // Section 7.2.3.6. zlib writes nothing for a second empty message.
        guard !message.isEmpty else { return Data([0x00]) }
        defer { if !keepsContext { reset() } }
        let level = compression.level.map { Int32(clamping: $0) }
        compressor = compressor ?? Compressor(.deflate(windowBits: windowBits), level: level)
        guard let bytes = compressor?.compress(message, .sync), bytes.suffix(tail.count) == tail else {
            reset()
            return nil
        }
        return bytes.dropLast(tail.count)
    }

    /// Forgets the messages so far. Later messages do not refer to them.
    package mutating func reset() { compressor = nil }
}

/// Decompresses the messages of the peer, frame by frame (RFC 7692, section 7.2.2). After an error it cannot be used.
struct WebSocketInflater {
    private let windowBits: Int32
    private let keepsContext: Bool
    private var inflater: Inflater?
    /// The limit in bytes for a message before decompression. Bytes that cannot be compressed become more by an eighth at most.
    let limit: Int
    /// How many bytes of the current message may still arrive.
    private(set) var rest: Int

    /// Creates the inflater of the end that receives.
    init(_ compression: WebSocket.Compression, of role: WebSocketRole, maximumMessageSize: Int) {
        let sender: WebSocketRole = role == .client ? .server : .client
        windowBits = compression.windowBits(of: sender)
        keepsContext = compression.keepsContext(of: sender)
        let (sum, overflows) = maximumMessageSize.addingReportingOverflow(maximumMessageSize / 4 + 1024)
        limit = overflows ? .max : sum
        rest = limit
    }

    /// Returns the content of a frame, at most `limit` bytes.
    mutating func decompress(_ frame: WebSocketFrame, limit: Int) throws(WebSocketError) -> Data {
        inflater = inflater ?? Inflater(windowBits: windowBits)
        guard let inflater else {
            throw WebSocketError(.messageTooLarge, message: "The system has no memory left to decompress a message.")
        }
        rest -= frame.payload.count
        let content: Data
        do {
            content = try inflater.decompress(frame.isFinal ? frame.payload + tail : frame.payload, limit: limit)
        } catch {
            throw error == .tooLarge ? .tooLarge() : .violation("The compressed data of a message is malformed.")
        }
        // A fragment may end with a flush, which takes up to eight bytes. Empty fragments do not extend the limit.
        if !content.isEmpty { rest += min(frame.payload.count, 8) }
        guard frame.isFinal else { return content }
        guard inflater.isBetweenBlocks else { throw .violation("The compressed data of a message is incomplete.") }
        rest = self.limit
        if !keepsContext { self.inflater = nil }
        return content
    }
}

extension WebSocket.Compression {
    fileprivate func windowBits(of sender: WebSocketRole) -> Int32 {
        Int32(clamping: (sender == .client ? clientMaxWindowBits : serverMaxWindowBits) ?? 15)
    }

    fileprivate func keepsContext(of sender: WebSocketRole) -> Bool {
        !(sender == .client ? clientNoContextTakeover : serverNoContextTakeover)
    }
}
