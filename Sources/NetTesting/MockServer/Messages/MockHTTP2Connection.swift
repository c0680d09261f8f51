public import NetCore

/// The versions of HTTP that a ``MockServer`` speaks.
public enum MockHTTPVersions: Hashable, Sendable, CaseIterable {
    /// HTTP/1.1 and HTTP/1.0, without ALPN.
    case http1Only
    /// HTTP/2 for clients that offer `h2` by ALPN or send the preface of HTTP/2, and HTTP/1.1 for all others.
    case automatic
    /// HTTP/2. The TLS handshake fails if the client does not offer `h2` by ALPN.
    case http2Only
}

/// The HTTP/2 settings of a ``MockServer``.
///
/// ```swift
/// var settings = MockHTTP2Settings()
/// settings.maxConcurrentStreams = 10
/// settings.goAwayAfter = 50  // recycle each connection after 50 streams
/// let server = try MockServer(certificate: try await MockCertificate.make(), httpVersions: .automatic, http2: settings)
/// ```
public struct MockHTTP2Settings: Hashable, Sendable {
    /// SETTINGS_MAX_CONCURRENT_STREAMS. A stream beyond it gets REFUSED_STREAM. The default is 128, as in nginx.
    public var maxConcurrentStreams = 128
    /// SETTINGS_INITIAL_WINDOW_SIZE: the bytes of a request body that a stream receives before the first WINDOW_UPDATE.
    public var initialWindowSize = 65_535
    /// SETTINGS_MAX_FRAME_SIZE: the largest payload in bytes that the server accepts, 16,384 to 16,777,215.
    public var maxFrameSize = 16_384
    /// SETTINGS_HEADER_TABLE_SIZE: the bytes of the table that the client's field blocks may use.
    public var headerTableSize = 4_096
    /// SETTINGS_MAX_HEADER_LIST_SIZE in bytes, or nil to send none. A larger list gets 431, and so does a list above 1 MiB.
    public var maxHeaderListSize: Int?
    /// The number of streams after which the server sends GOAWAY(NO_ERROR) with the identifier of the last one, or nil for no limit.
    ///
    /// Later streams are ignored, as the protocol requires: they are not recorded, and count in
    /// ``MockHTTP2Connection/ignoredStreams``. The connection closes when the accepted streams are complete.
    public var goAwayAfter: Int?

    public init() {}

    /// The values of the first SETTINGS frame.
    var announced: [(id: UInt16, value: UInt32)] {
        let values: [(UInt16, Int?)] = [
            (1, headerTableSize), (3, maxConcurrentStreams), (4, initialWindowSize), (5, maxFrameSize),
            (6, maxHeaderListSize),
        ]
        return values.compactMap { id, value in value.map { (id, UInt32(clamping: $0)) } }
    }

    /// The settings with values that the protocol allows.
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

/// The frames that a ``MockServer`` received on an HTTP/2 connection besides the requests.
public struct MockHTTP2Connection: Hashable, Sendable {
    /// A RST_STREAM frame of the client.
    public struct Reset: Hashable, Sendable {
        public let stream: Int
        public let code: TransportError.HTTP2Code
    }

    /// The number of the connection, as in ``RecordedRequest/connection``.
    public let number: Int
    public internal(set) var isOpen = true
    /// The number of streams that the server accepted.
    public internal(set) var streams = 0
    /// The number of open streams.
    public internal(set) var openStreams = 0
    /// The number of streams beyond the last one of a GOAWAY, which are certainly unprocessed.
    public internal(set) var ignoredStreams = 0
    /// The number of streams beyond ``MockHTTP2Settings/maxConcurrentStreams``, which got REFUSED_STREAM.
    public internal(set) var refusedStreams = 0
    /// The client's latest settings by their identifiers: 2 is ENABLE_PUSH, 4 INITIAL_WINDOW_SIZE (RFC 9113, section 6.5.2).
    public internal(set) var settings: [Int: Int] = [:]
    /// The number of SETTINGS frames that the client acknowledged.
    public internal(set) var settingsAcknowledgements = 0
    /// The number of the client's own PING frames.
    public internal(set) var pings = 0
    /// The client's RST_STREAM frames, at most 10,000.
    public internal(set) var resets: [Reset] = []
    /// The code of the client's GOAWAY, or nil.
    public internal(set) var goAway: TransportError.HTTP2Code?
    /// The sum of the client's WINDOW_UPDATE frames in bytes for each stream; 0 is the connection. At most 10,000 streams are kept.
    public internal(set) var windowUpdates: [Int: Int64] = [:]
    /// The bytes of DATA for which the client has not sent WINDOW_UPDATE on the connection.
    public internal(set) var unreturnedBytes: Int64 = 0

    static let limit = 10_000
}
