public import NetClient
public import NetCore

/// A WebSocket (RFC 6455): a connection on which both ends send messages.
///
/// ```swift
/// let socket = try await client.webSocket(to: URL(string: "wss://example.com/feed")!)
/// try await socket.send(.text("hello"))
/// for try await message in socket.messages { print(message) }
/// ```
///
/// **Reading.** ``messages`` and ``receive()`` read the same queue, and each message goes to one reader. A slow reader makes the server
/// wait. Pings are answered without a reader, unless the queue is full.
///
/// **Sending.** ``send(_:)-(WebSocket.Message)`` may be called from several tasks at once. Messages are sent in the order of the calls,
/// each as a whole. The call returns when the system has taken the bytes, so a slow server slows the sender down.
///
/// **Ending.** End a WebSocket with ``close(code:reason:)``. One that is released without it is dropped, and the server sees the code
/// 1006. Cancelling a task that receives or sends ends that call only.
public final class WebSocket: Sendable {
    /// The server's response to the handshake, with status 101.
    public let response: TransportResponse
    /// The subprotocol that the server chose among those offered, or nil for none.
    public let subprotocol: String?
    /// The compression that both ends agreed on, or nil if messages are not compressed: see ``WebSocket/Options/compression``.
    public let compression: WebSocket.Compression?
    private let core: WebSocketCore
    private let encoder: any BodyEncoder
    private let decoder: any BodyDecoder

    init(
        _ core: WebSocketCore, response: TransportResponse, subprotocol: String?, compression: WebSocket.Compression?,
        encoder: any BodyEncoder, decoder: any BodyDecoder
    ) {
        self.core = core
        self.subprotocol = subprotocol
        self.compression = compression
        self.encoder = encoder
        self.decoder = decoder
        self.response = response
        core.start()
    }

    deinit { core.abandon(CancellationError()) }

    /// The messages. The sequence ends when the WebSocket is closed normally, and throws the errors of ``receive()``.
    public var messages: Messages<Message> { Messages { [self] in try await receive() } }

    /// Returns the messages, text and bytes alike, each decoded by the client's decoder.
    ///
    /// A message that cannot be decoded throws ``NetworkError/decodingError(_:)``. The WebSocket stays open, and another iteration
    /// continues after that message.
    public func messages<Value: Decodable & Sendable>(of type: Value.Type) -> Messages<Value> {
        Messages { [self] in
            guard let message = try await receive() else { return nil }
            do { return try decoder.decode(Value.self, from: message.data) } catch {
                throw failure(NetworkError.decodingError(error))
            }
        }
    }

    /// Returns the next message, or nil if the WebSocket was closed normally: with 1000, 1001 or without a code, or by ``close(code:reason:)``.
    ///
    /// - Throws: ``NetworkFailure``. Its cause is ``NetworkError/networkUnavailable`` if the connection was lost,
    ///   ``NetworkError/responseTooLarge(limit:)`` for a message over the limit, ``NetworkError/cancelled`` if the task was cancelled, which leaves
    ///   the WebSocket open, and ``NetworkError/unknown(_:)`` with a ``WebSocketError`` for another close code or a violation of the protocol.
    public func receive() async throws(NetworkFailure) -> WebSocket.Message? {
        do { return try await core.inbox.next() } catch { throw failure(error) }
    }

    /// Sends a message. Returns when the system has taken it.
    ///
    /// - Throws: ``NetworkFailure``. Its cause is ``NetworkError/networkUnavailable`` if the connection was lost,
    ///   ``NetworkError/unknown(_:)`` with a ``WebSocketError`` (`closed`) after the end, and ``NetworkError/cancelled`` if the task was
    ///   cancelled while it waited; the message is then sent as a whole or not at all.
    public func send(_ message: WebSocket.Message) async throws(NetworkFailure) {
        do {
            if let closure { throw WebSocketError.closed(closure) }
            try await core.link.send(message)
        } catch {
            throw sendFailure(error)
        }
    }

    /// Sends a value, encoded by the client's encoder: as text if the encoder makes text (JSON), and as bytes otherwise.
    ///
    /// - Throws: as ``send(_:)-(WebSocket.Message)``, and ``NetworkError/encodingError(_:)``.
    public func send(_ value: some Encodable & Sendable) async throws(NetworkFailure) {
        let data: Data
        do { data = try encoder.encode(value) } catch { throw failure(NetworkError.encodingError(error)) }
        let isText = encoder.contentType.hasPrefix("application/json") || encoder.contentType.hasPrefix("text/")
        let text = isText ? String(data: data, encoding: .utf8) : nil
        try await send(text.map { .text($0) } ?? .binary(data))
    }

    /// Returns the failure of a message or a ping. Dropping the connection cancels both, although the caller's task was not cancelled.
    private func sendFailure(_ error: any Error) -> NetworkFailure {
        let failure = failure(error)
        guard failure.isCancellation, !Task.isCancelled, let closure else { return failure }
        return self.failure(WebSocketError.closed(closure))
    }

    /// Sends a ping, and waits for the pong without a time limit. Cancel the task to give up.
    ///
    /// - Returns: the round-trip time in seconds, by the client's clock. The pong waits behind messages that no reader has taken.
    /// - Throws: as ``send(_:)-(WebSocket.Message)``.
    @discardableResult
    public func ping() async throws(NetworkFailure) -> TimeInterval {
        let start = core.clock.uptime
        do {
            if let closure { throw WebSocketError.closed(closure) }
            try await core.link.ping()
        } catch {
            throw sendFailure(error)
        }
        return core.clock.uptime - start
    }

    /// Sends a Close frame, waits for the server's no longer than ``WebSocket/Options/closeTimeout``, and drops the connection.
    ///
    /// Messages that arrive afterwards are dropped. Messages that have arrived can be read. A second call has no effect.
    ///
    /// - Parameters:
    ///   - code: the close code. 1000 is sent for a code that must not be sent (``WebSocket/CloseCode/isSendable``).
    ///   - reason: a text for people, cut after 123 bytes of UTF-8.
    public func close(code: WebSocket.CloseCode = .normalClosure, reason: String = "") async {
        await core.close(WebSocket.Closure(code: code, reason: reason))
    }

    /// How the WebSocket ended, or nil while it is open. The code is 1006 if the peer sent no Close frame.
    public var closure: WebSocket.Closure? { core.closure }
    /// The close code, or nil while the WebSocket is open.
    public var closeCode: WebSocket.CloseCode? { closure?.code }
    /// The peer's reason, or nil while the WebSocket is open. Empty if the peer gave none.
    public var closeReason: String? { closure?.reason }

    func failure(_ error: any Error) -> NetworkFailure {
        NetworkFailure(webSocket: error, response: response, timestamp: core.clock.now)
    }
}

extension NetworkFailure {
    /// Creates a failure with the request of the handshake, and the head of its response.
    init(webSocket error: any Error, response: TransportResponse, timestamp: Date) {
        var snapshot: ResponseSnapshot?
        var cause: NetworkError?
        if let error = error as? WebSocketError {
            let body = response.body.data
            snapshot = ResponseSnapshot(statusCode: response.status, headers: response.headers, body: body)
            if let limit = error.limit { cause = .responseTooLarge(limit: limit) }
            if response.status >= 300, error.code == .redirected || error.code == .notUpgraded {
                cause = .requestFailed(statusCode: response.status, data: body)
            }
        }
        guard let cause else {
            self.init(wrapping: error, request: response.request, response: snapshot, timestamp: timestamp)
            return
        }
        self.init(
            cause: cause, request: response.request.map(RequestSnapshot.init), response: snapshot,
            underlyingError: error, timestamp: timestamp, retryAttempt: response.attempt)
    }
}

extension WebSocket {
    /// Limits and times of a WebSocket. Times are in seconds, by the client's clock.
    public struct Options: Sendable {
        /// The largest message that is accepted, in bytes after decompression; 16 MiB by default. A larger one closes the WebSocket with the
        /// code 1009, before all of it has arrived or was decompressed.
        public var maximumMessageSize = 16 << 20
        /// The time from a pong to the next ping, or nil (the default) to send no pings. Pings show whether the peer is still there, and
        /// keep firewalls on the way open. The server's pings are always answered.
        public var pingInterval: TimeInterval?
        /// How long a pong may take. After that the WebSocket fails with ``WebSocketError/Code/pongMissing``.
        public var pongTimeout: TimeInterval = 20
        /// How long ``WebSocket/close(code:reason:)`` waits for the peer's Close frame.
        public var closeTimeout: TimeInterval = 5
        /// The size in bytes of the fragments of larger messages, or nil (the default) to send each message in one frame. Apple platforms ignore it.
        public var fragmentSize: Int?
        /// The compression to offer to the server, or nil (the default) for none. ``WebSocket/compression`` says what the server accepted.
        /// Apple platforms offer none.
        public var compression: WebSocket.Compression?
        /// Whether to try a WebSocket on watchOS; false by default. Otherwise it fails there with ``NetworkError/unsupported(_:)``.
        ///
        /// watchOS lets an app open WebSockets only while it streams audio or is in a call of CallKit (Apple's technical note TN3135). At
        /// other times the handshake fails or hangs. Other systems ignore this property.
        public var usesLowLevelNetworkingOnWatchOS = false

        public init() {}
    }
}
