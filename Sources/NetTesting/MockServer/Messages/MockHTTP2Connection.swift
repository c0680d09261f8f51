public import NetCore

/// The versions of HTTP that a ``MockServer`` speaks.
public enum MockHTTPVersions: Hashable, Sendable, CaseIterable {
    /// HTTP/1.1 and HTTP/1.0, without ALPN.
    case http1Only
    /// HTTP/2 for clients that offer `h2` by ALPN or begin with the preface of HTTP/2, HTTP/1.1 for all others.
    case automatic
    /// HTTP/2. The TLS handshake fails for a client whose ALPN does not offer `h2`.
    case http2Only
}

/// How a ``MockServer`` speaks HTTP/2.
///
/// ```swift
/// var settings = MockHTTP2Settings()
/// settings.maxConcurrentStreams = 10
/// settings.goAwayAfter = 50  // recycle each connection after 50 streams
/// let server = try MockServer(certificate: try await MockCertificate.make(), httpVersions: .automatic, http2: settings)
/// ```
public struct MockHTTP2Settings: Hashable, Sendable {
    /// SETTINGS_MAX_CONCURRENT_STREAMS. A stream beyond it gets REFUSED_STREAM. The default is 128, as nginx has it.
    public var maxConcurrentStreams = 128
    /// SETTINGS_INITIAL_WINDOW_SIZE: the bytes of a request body that a stream takes before the first WINDOW_UPDATE.
    public var initialWindowSize = 65_535
    /// SETTINGS_MAX_FRAME_SIZE: the largest payload in bytes that the server takes, 16,384 to 16,777,215.
    public var maxFrameSize = 16_384
    /// SETTINGS_HEADER_TABLE_SIZE: the bytes of the table that the client's field blocks may use.
    public var headerTableSize = 4_096
    /// SETTINGS_MAX_HEADER_LIST_SIZE in bytes; nil to send none. A larger list gets 431, as one above 1 MiB does.
    public var maxHeaderListSize: Int?
    /// The streams of a connection after which the server sends GOAWAY(NO_ERROR) with the identifier of the last one; nil for no limit.
    ///
    /// Streams that the client opens afterwards are ignored, as the protocol has it: they are not recorded, and count in
    /// ``MockHTTP2Connection/ignoredStreams``. The connection closes when the accepted ones are complete.
    public var goAwayAfter: Int?

    /// The settings of a well-behaved server.
    public init() {}

    /// What is in the first SETTINGS frame.
    var announced: [(id: UInt16, value: UInt32)] {
        let values: [(UInt16, Int?)] = [
            (1, headerTableSize), (3, maxConcurrentStreams), (4, initialWindowSize), (5, maxFrameSize),
            (6, maxHeaderListSize),
        ]
        return values.compactMap { id, value in value.map { (id, UInt32(clamping: $0)) } }
    }

    /// The same with values that the protocol allows.
    var limited: MockHTTP2Settings {
        var copy = self
        copy.maxConcurrentStreams = max(0, maxConcurrentStreams)
        copy.initialWindowSize = min(max(0, initialWindowSize), Int(Int32.max))
        copy.maxFrameSize = min(max(16_384, maxFrameSize), 16_777_215)
        copy.headerTableSize = min(max(0, headerTableSize), 1 << 20)
        copy.goAwayAfter = goAwayAfter.map { max(1, $0) }
        return copy
    }
}

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
