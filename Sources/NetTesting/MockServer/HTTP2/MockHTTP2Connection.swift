public import NetCore

/// What a ``MockServer`` saw of one HTTP/2 connection: what the client sent besides its requests.
public struct MockHTTP2Connection: Hashable, Sendable {
    /// A RST_STREAM frame of the client.
    public struct Reset: Hashable, Sendable {
        /// The stream.
        public let stream: Int
        /// Its error code.
        public let code: HTTP2ErrorCode
    }

    /// The number of the connection, as in ``RecordedRequest/connection``.
    public let number: Int
    /// Whether it is open.
    public internal(set) var isOpen = true
    /// The streams that the server accepted.
    public internal(set) var streams = 0
    /// The streams that are open now.
    public internal(set) var openStreams = 0
    /// The streams that the client opened beyond the last one of a GOAWAY: certainly unprocessed.
    public internal(set) var ignoredStreams = 0
    /// The streams beyond ``MockHTTP2Settings/maxConcurrentStreams``, which got REFUSED_STREAM.
    public internal(set) var refusedStreams = 0
    /// The client's settings by their identifiers, as last sent: 2 is ENABLE_PUSH, 4 INITIAL_WINDOW_SIZE (RFC 9113, section 6.5.2).
    public internal(set) var settings: [Int: Int] = [:]
    /// The SETTINGS frames that the client acknowledged.
    public internal(set) var settingsAcknowledgements = 0
    /// The PING frames that the client acknowledged.
    public internal(set) var pingAcknowledgements = 0
    /// The PING frames of the client's own.
    public internal(set) var pings = 0
    /// The client's RST_STREAM frames, 10,000 at most.
    public internal(set) var resets: [Reset] = []
    /// The code of the client's GOAWAY; nil if there was none.
    public internal(set) var goAway: HTTP2ErrorCode?
    /// The sum of the client's WINDOW_UPDATE frames in bytes for each stream; 0 is the connection. Of the streams, the first
    /// 10,000 are kept.
    public internal(set) var windowUpdates: [Int: Int64] = [:]
    /// The bytes of DATA that the server sent and the client has not given back by WINDOW_UPDATE for the connection.
    public internal(set) var unreturnedBytes: Int64 = 0

    static let limit = 10_000

    init(number: Int) {
        self.number = number
    }
}

extension MockServer {
    /// The HTTP/2 connections in the order in which they were accepted, the closed ones too.
    public var http2Connections: [MockHTTP2Connection] { journal.read(\.http2Connections) }

    /// Waits until what the server saw of its HTTP/2 connections is as the condition wants it.
    ///
    /// ```swift
    /// try await server.waitForHTTP2 { $0.contains { $0.resets.contains { $0.code == .cancel } } }
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: how long to wait, in seconds of real time.
    ///   - condition: gets ``http2Connections`` after each change.
    /// - Throws: ``NetTestingError/timedOut(seconds:)``, `CancellationError`.
    public func waitForHTTP2(
        timeout: TimeInterval = 60, _ condition: @escaping @Sendable ([MockHTTP2Connection]) -> Bool
    ) async throws {
        try await journal.wait(timeout: timeout) { condition($0.http2Connections) ? () : nil }
    }

    /// Sends GOAWAY on open HTTP/2 connections, idle or not, and closes each when the streams that it spares are complete.
    /// A code other than ``HTTP2ErrorCode/noError`` closes them at once.
    ///
    /// - Parameters:
    ///   - code: the error code.
    ///   - lastStream: the last-stream-id; nil for the last one that the server accepted. Streams beyond it are dropped.
    ///   - connection: the number of a connection; nil for all.
    public func goAway(_ code: HTTP2ErrorCode = .noError, lastStream: Int? = nil, connection: Int? = nil) {
        mailbox.post(.http2(.goAway(code, lastStream: lastStream), connection: connection))
    }

    /// Sends frames on open HTTP/2 connections, outside of any response. A stream of nil is the connection's.
    ///
    /// - Parameters:
    ///   - frames: the frames.
    ///   - connection: the number of a connection; nil for all.
    public func send(_ frames: [MockHTTP2Frame], connection: Int? = nil) {
        mailbox.post(.http2(.send(frames), connection: connection))
    }
}
