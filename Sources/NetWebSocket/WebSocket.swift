public import NetClient
public import NetCore

/// A WebSocket (RFC 6455): messages in both directions for as long as both ends like.
///
/// ```swift
/// let socket = try await client.webSocket(to: URL(string: "wss://example.com/feed")!)
/// try await socket.send(.text("hello"))
/// for try await message in socket.messages { show(message) }
/// ```
///
/// **Reading.** ``messages`` and ``receive()`` take from the same queue: one message goes to one reader. A slow reader makes the server
/// wait. Pings are answered by themselves, also while nobody reads, but not while the queue is full.
///
/// **Sending.** ``send(_:)-(WebSocket/Message)`` may be called from anywhere at the same time; messages go out in the order of the calls,
/// each whole. It returns when the system has taken the bytes, so a slow server slows the sender down.
///
/// **Ending.** ``close(code:reason:)`` is the polite way. A WebSocket that is let go of without it is dropped, and its server sees the
/// code 1006. Cancelling a task that waits for a message or sends one ends that call only.
public final class WebSocket: Sendable {
    /// The server's answer to the handshake: status 101, its header fields, and how the connection came about.
    public let response: TransportResponse
    /// The subprotocol that the server chose among those offered; nil for none.
    public let subprotocol: String?
    private let core: WebSocketCore
    private let encoder: any BodyEncoder
    let decoder: any BodyDecoder

    init(
        _ core: WebSocketCore, response: TransportResponse, subprotocol: String?, encoder: any BodyEncoder,
        decoder: any BodyDecoder
    ) {
        self.core = core
        self.subprotocol = subprotocol
        self.encoder = encoder
        self.decoder = decoder
        self.response = response
        core.start()
    }

    deinit {
        core.abandon(CancellationError())
    }

    // MARK: Reading

    /// The messages as they come, to the end of the WebSocket: see ``WebSocket/Messages``.
    public var messages: WebSocket.Messages { WebSocket.Messages(socket: self) }

    /// The messages, each decoded by the client's decoder: see ``WebSocket/Values``.
    public func messages<Value: Decodable & Sendable>(of type: Value.Type) -> WebSocket.Values<Value> {
        WebSocket.Values(socket: self)
    }

    /// The next message, or nil when the WebSocket was closed as it should be: with 1000, 1001 or without a code, or by
    /// ``close(code:reason:)``.
    ///
    /// - Throws: a failure. ``NetworkError/networkUnavailable`` if the connection was lost; ``NetworkError/responseTooLarge(limit:)`` for
    ///   a message over the limit; ``NetworkError/cancelled`` if the task was cancelled, which leaves the WebSocket open;
    ///   ``NetworkError/unknown(_:)`` with a ``WebSocketError`` for another close code or what the protocol forbids.
    public func receive() async throws(NetworkFailure) -> WebSocket.Message? {
        do {
            return try await core.inbox.next()
        } catch {
            throw failure(error)
        }
    }

    // MARK: Sending

    /// Sends a message, and returns when the system has taken it.
    ///
    /// - Throws: a failure: ``NetworkError/networkUnavailable`` if the connection was lost; ``NetworkError/unknown(_:)`` with a
    ///   ``WebSocketError`` (`closed`) after the end; ``NetworkError/cancelled`` if the task was cancelled while it waited, and then the
    ///   message is sent whole or not at all.
    public func send(_ message: WebSocket.Message) async throws(NetworkFailure) {
        do {
            if let closure { throw WebSocketError.closed(closure) }
            try await core.link.send(message)
        } catch {
            throw failure(error)
        }
    }

    /// Sends a value, encoded by the client's encoder: as text where that makes text (JSON), else as bytes.
    ///
    /// - Throws: as ``send(_:)-(WebSocket/Message)``, and ``NetworkError/encodingError(_:)``.
    public func send(_ value: some Encodable & Sendable) async throws(NetworkFailure) {
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw failure(NetworkError.encodingError(error))
        }
        let isText = encoder.contentType.hasPrefix("application/json") || encoder.contentType.hasPrefix("text/")
        let text = isText ? String(data: data, encoding: .utf8) : nil
        try await send(text.map { .text($0) } ?? .binary(data))
    }

    /// Sends a ping, and waits for the answer; without a limit of its own, so cancel the task to give up.
    ///
    /// - Returns: how long the answer took, in seconds by the client's clock. It waits behind messages that nobody has taken.
    /// - Throws: as ``send(_:)-(WebSocket/Message)``.
    @discardableResult
    public func ping() async throws(NetworkFailure) -> TimeInterval {
        let start = core.clock.uptime
        do {
            if let closure { throw WebSocketError.closed(closure) }
            try await core.link.ping()
        } catch {
            throw failure(error)
        }
        return core.clock.uptime - start
    }

    // MARK: Ending

    /// Closes: tells the server, waits for its answer as long as ``WebSocket/Options/closeTimeout`` says, and drops the connection. What
    /// the server still sends is not kept; what has come can be read. Twice is fine.
    ///
    /// - Parameters:
    ///   - code: why. One that must not be sent (``WebSocket/CloseCode/isSendable``) is sent as 1000.
    ///   - reason: for people; what is beyond 123 bytes of UTF-8 is cut off.
    public func close(code: WebSocket.CloseCode = .normalClosure, reason: String = "") async {
        await core.close(WebSocket.Closure(code: code, reason: reason))
    }

    /// How it ended; nil while it is open. 1006 stands for an end without a Close frame of the peer.
    public var closure: WebSocket.Closure? { core.closure }
    /// With which code it ended; nil while it is open.
    public var closeCode: WebSocket.CloseCode? { closure?.code }
    /// What the peer said when it closed; nil while it is open, empty if it said nothing.
    public var closeReason: String? { closure?.reason }

    func failure(_ error: any Error) -> NetworkFailure {
        NetworkFailure(webSocket: error, response: response, timestamp: core.clock.now)
    }
}

extension NetworkFailure {
    /// With the request and the head of the handshake.
    init(webSocket error: any Error, response: TransportResponse, timestamp: Date) {
        var snapshot: ResponseSnapshot?
        var cause: NetworkError?
        if let error = error as? WebSocketError {
            snapshot = ResponseSnapshot(
                statusCode: response.status, headers: response.headers, body: response.body.data)
            if let limit = error.limit { cause = .responseTooLarge(limit: limit) }
            if response.status != 101, error.code == .redirected {
                cause = .requestFailed(statusCode: response.status, data: response.body.data)
            }
        }
        guard let cause else {
            self.init(wrapping: error, request: response.request, response: snapshot, timestamp: timestamp)
            return
        }
        self.init(
            cause: cause, request: response.request.map(RequestSnapshot.init), response: snapshot,
            underlyingError: error,
            timestamp: timestamp, retryAttempt: response.attempt)
    }
}

extension WebSocket {
    /// How a WebSocket behaves. Times are in seconds, by the client's clock.
    public struct Options: Sendable {
        /// The largest message that is accepted, in bytes; 16 MiB unless set. A larger one closes the WebSocket with the code 1009, before
        /// it has come.
        public var maximumMessageSize = 16 << 20
        /// How long after an answer the next ping is sent, to see that the peer is still there, and to keep firewalls on the way open. Nil,
        /// unless set, sends none by itself; the server's pings are always answered.
        public var pingInterval: TimeInterval?
        /// How long the answer to such a ping may take. Then the connection is given up, with ``WebSocketError/Code/pongMissing``.
        public var pongTimeout: TimeInterval = 20
        /// How long to wait for the peer's part in closing.
        public var closeTimeout: TimeInterval = 5
        /// Messages that are larger are sent in fragments of this size, in bytes; nil, unless set, sends each in one frame. Apple's
        /// platforms decide this by themselves.
        public var fragmentSize: Int?
        /// Whether a WebSocket is tried on watchOS, where it is refused with ``NetworkError/unsupported(_:)`` unless this is set. watchOS lets an app
        /// open one only while it streams audio or is in a call of CallKit (Apple's technical note TN3135); otherwise the handshake fails or
        /// hangs. False unless set; other systems ignore it.
        public var usesLowLevelNetworkingOnWatchOS = false

        /// The defaults.
        public init() {}
    }
}
