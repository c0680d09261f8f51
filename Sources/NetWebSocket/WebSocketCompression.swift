import NetCore

extension WebSocket {
    /// The compression of messages with deflate (`permessage-deflate`, RFC 7692).
    ///
    /// ```swift
    /// var options = WebSocket.Options()
    /// options.compression = .deflate
    /// ```
    ///
    /// The properties with names of the RFC (section 7.1) limit memory. With the defaults a connection takes about 260 KB once it has sent
    /// a compressed message, and 40 KB once it has received one.
    ///
    /// Compression reveals secrets if a message has both a secret and text of an attacker: the length shows how similar they are (CRIME,
    /// BREACH). With a common context this also holds for a secret in one message and an attacker's text in another.
    public struct Compression: Hashable, Sendable {
        /// Whether the client compresses each message without reference to earlier ones; false by default. A connection then takes memory
        /// only while it sends. Short messages that resemble each other become larger.
        public var clientNoContextTakeover = false
        /// Whether the server has to compress each message without reference to earlier ones; false by default. A connection then takes
        /// memory only while it receives. A server that does not support it declines compression.
        public var serverNoContextTakeover = false
        /// The base-2 logarithm of the client's window in bytes, 9 to 15 (the default). The server may choose a smaller window of at least
        /// 512 bytes. If nil, the window has 32 KiB, and the server may not limit it.
        public var clientMaxWindowBits: Int? = 15
        /// The base-2 logarithm of the largest window of the server in bytes, 8 to 15, or nil (the default) for 32 KiB or what the server
        /// chooses. A server that does not support it declines compression.
        public var serverMaxWindowBits: Int?
        /// The size in bytes from which on messages are compressed; 128 by default. Smaller ones hardly become smaller.
        public var minimumMessageSize = 128
        /// The level of compression from 1 (fast) to 9 (small), or nil (the default) for zlib's own default.
        public var level: Int?
        /// Whether the handshake fails if messages cannot be compressed; false by default. It fails with
        /// ``WebSocketError/Code/compressionDeclined`` if the server declines, and with ``NetworkError/unsupported(_:)`` on Apple platforms.
        public var isRequired = false

        public init() {}

        /// The default settings.
        public static let deflate = Compression()
    }
}

// Negotiation (section 7.1).
extension WebSocket.Compression {
    private static let name = "permessage-deflate"

    /// Throws an error that describes the problem if a setting is out of range.
    func validate() throws(RequestBuildingError) {
        for (name, value, range) in [
            ("clientMaxWindowBits", clientMaxWindowBits, 9...15), ("serverMaxWindowBits", serverMaxWindowBits, 8...15),
            ("level", level, 1...9),
        ] {
            guard let value, !range.contains(value) else { continue }
            throw RequestBuildingError(
                "The \(name) of the compression is \(value). Set it to \(range.lowerBound) to \(range.upperBound), or to nil."
            )
        }
    }

    /// Returns the settings, or nil if this system has no zlib and compression is not required.
    func supported() throws(NetworkError) -> Self? {
        if Compressor.Format.deflate(windowBits: 15).isAvailable { return self }
        guard isRequired else { return nil }
        throw .unsupported("zlib cannot be loaded. Install it, or set isRequired of the compression to false.")
    }

    /// Returns the element of `Sec-WebSocket-Extensions`. In an offer, 15 bits of the client stand without a value.
    package func element(isOffer: Bool) -> String {
        var element = Self.name
        if serverNoContextTakeover { element += "; server_no_context_takeover" }
        if clientNoContextTakeover { element += "; client_no_context_takeover" }
        if let serverMaxWindowBits { element += "; server_max_window_bits=\(serverMaxWindowBits)" }
        if let bits = clientMaxWindowBits {
            element += "; client_max_window_bits" + (isOffer && bits == 15 ? "" : "=\(bits)")
        }
        return element
    }

    /// Reads an element of `Sec-WebSocket-Extensions`. Nil if it is another extension, or has a parameter that is unknown, repeated or
    /// invalid. Values in quotes are invalid.
    package init?(element: Substring, isOffer: Bool) {
        self.init()
        clientMaxWindowBits = nil
        let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmingHTTPWhitespace)
        guard parts.first?.elementsEqual(Self.name) == true,
            Set(parts.map { $0.prefix { $0 != "=" } }).count == parts.count
        else { return nil }
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            switch (pair.first, pair.count == 2 ? Self.windowBits(pair[1]) : nil) {
            case ("server_no_context_takeover", nil) where pair.count == 1: serverNoContextTakeover = true
            case ("client_no_context_takeover", nil) where pair.count == 1: clientNoContextTakeover = true
            case ("client_max_window_bits", nil) where pair.count == 1 && isOffer: clientMaxWindowBits = 15
            case ("client_max_window_bits", let bits?): clientMaxWindowBits = bits
            case ("server_max_window_bits", let bits?): serverMaxWindowBits = bits
            default: return nil
            }
        }
    }

    private static func windowBits(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy(\.isDigit), text.first != "0", let bits = Int(text) else { return nil }
        return 8...15 ~= bits ? bits : nil
    }

    /// Returns what both ends agreed on, with the offer's other settings; nil if the server declined.
    static func agreed(_ offer: Self?, _ headers: HTTPHeaders) throws(WebSocketError) -> Self? {
        let elements = headers.values(for: "Sec-WebSocket-Extensions").flatMap { $0.listMembers() }
        guard let element = elements.first else {
            guard offer?.isRequired == true else { return nil }
            throw WebSocketError(.compressionDeclined, message: "The server declined compression, which is required.")
        }
        guard let offer, elements.count == 1,
            element.prefix(while: { $0 != ";" }).trimmingHTTPWhitespace == Self.name
        else { throw WebSocketError(.notOffered, message: "The server chose an extension that was not offered.") }
        guard let answer = Self(element: element, isOffer: false), offer.permits(answer) else {
            throw WebSocketError(
                .invalidHandshake,
                message: "The server's parameters of compression are invalid or do not fit the offer (RFC 7692).")
        }
        guard answer.clientMaxWindowBits != 8 else {
            throw WebSocketError(
                .invalidHandshake,
                message: "The server wants a window of 256 bytes, which zlib lacks. Set clientMaxWindowBits to nil.")
        }
        var agreed = offer
        agreed.serverNoContextTakeover = answer.serverNoContextTakeover
        agreed.clientNoContextTakeover = offer.clientNoContextTakeover || answer.clientNoContextTakeover
        agreed.serverMaxWindowBits = answer.serverMaxWindowBits ?? 15
        agreed.clientMaxWindowBits = answer.clientMaxWindowBits ?? offer.clientMaxWindowBits ?? 15
        return agreed
    }

    /// Whether a server may answer this offer so: it must grant what the client asks of it, and raise no limit.
    private func permits(_ answer: Self) -> Bool {
        if serverNoContextTakeover, !answer.serverNoContextTakeover { return false }
        if let serverMaxWindowBits, answer.serverMaxWindowBits ?? 16 > serverMaxWindowBits { return false }
        return answer.clientMaxWindowBits ?? 0 <= clientMaxWindowBits ?? 0
    }
}
