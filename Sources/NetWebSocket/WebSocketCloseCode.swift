import NetCore

extension WebSocket {
    /// A close code (RFC 6455, section 7.4, and IANA's registry).
    ///
    /// 3000 to 3999 are for libraries and frameworks, 4000 to 4999 for applications: `WebSocket.CloseCode(rawValue: 4001)`.
    public struct CloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: UInt16

        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// 1000: the connection has fulfilled its purpose.
        public static let normalClosure = WebSocket.CloseCode(rawValue: 1000)
        /// 1001: a server shuts down, or a user leaves.
        public static let goingAway = WebSocket.CloseCode(rawValue: 1001)
        /// 1002: the peer violated the protocol.
        public static let protocolError = WebSocket.CloseCode(rawValue: 1002)
        /// 1003: the peer sent a kind of data that is not accepted.
        public static let unsupportedData = WebSocket.CloseCode(rawValue: 1003)
        /// 1005: the peer's Close frame has no code. Never sent.
        public static let noStatusReceived = WebSocket.CloseCode(rawValue: 1005)
        /// 1006: the connection ended without a Close frame. Never sent.
        public static let abnormalClosure = WebSocket.CloseCode(rawValue: 1006)
        /// 1007: text is not UTF-8, or data does not match the kind of the message.
        public static let invalidPayload = WebSocket.CloseCode(rawValue: 1007)
        /// 1008: a message violates the peer's policy.
        public static let policyViolation = WebSocket.CloseCode(rawValue: 1008)
        /// 1009: a message is too large.
        public static let messageTooBig = WebSocket.CloseCode(rawValue: 1009)
        /// 1010: the server did not agree to an extension that the client needs.
        public static let mandatoryExtension = WebSocket.CloseCode(rawValue: 1010)
        /// 1011: the server met an unexpected condition.
        public static let internalError = WebSocket.CloseCode(rawValue: 1011)
        /// 1012: the server restarts.
        public static let serviceRestart = WebSocket.CloseCode(rawValue: 1012)
        /// 1013: the server is overloaded; try again later.
        public static let tryAgainLater = WebSocket.CloseCode(rawValue: 1013)
        /// 1014: a gateway got an invalid response.
        public static let badGateway = WebSocket.CloseCode(rawValue: 1014)

        public var description: String { String(rawValue) }

        /// Whether a Close frame may carry the code. The others are reserved, or stand for a missing Close frame.
        public var isSendable: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }

        /// Whether the code is 1000, 1001, or stands for none (1005).
        public var isNormal: Bool { self == .normalClosure || self == .goingAway || self == .noStatusReceived }
    }

    /// The end of a WebSocket.
    public struct Closure: Hashable, Sendable {
        /// The peer's close code, or the code that stands for its absence.
        public let code: WebSocket.CloseCode
        /// The peer's reason; empty if it gave none.
        public let reason: String

        public init(code: WebSocket.CloseCode, reason: String = "") {
            self.code = code
            self.reason = reason
        }
    }
}

extension WebSocket.Closure {
    /// Reads the payload of a Close frame (RFC 6455, section 5.5.1).
    init(payload: Data) throws(WebSocketError) {
        guard !payload.isEmpty else {
            self.init(code: .noStatusReceived)
            return
        }
        let bytes = [UInt8](payload)
        guard bytes.count >= 2 else { throw .violation("A Close frame has half a code.") }
        let code = WebSocket.CloseCode(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        guard code.isSendable else { throw .violation("A Close frame has the code \(code), which must not be sent.") }
        var check = UTF8Check()
        guard bytes[2...].withUnsafeBytes({ check.accept($0) }), check.isComplete else { throw .invalidText }
        self.init(code: code, reason: String(decoding: bytes[2...], as: UTF8.self))
    }

    /// The payload of a Close frame. A code that must not be sent becomes 1000, and the reason is cut to fit.
    package var payload: Data {
        if code == .noStatusReceived { return Data() }
        let number = (code.isSendable ? code : .normalClosure).rawValue
        var payload = Data([UInt8(number >> 8), UInt8(number & 0xFF)])
        for character in reason {
            let bytes = Data(character.utf8)
            guard payload.count + bytes.count <= WebSocketFrame.longestControlPayload else { break }
            payload.append(bytes)
        }
        return payload
    }
}
