public import NetCore

/// What ``MockServer`` answers: a value, made by one of the statics and changed by modifiers.
///
/// ```swift
/// server.enqueue(.json(user), .status(503).header("Retry-After", "1"), .text("late").delayed(by: 0.2))
/// ```
///
/// The server adds `Content-Length` or `Transfer-Encoding`, whichever fits, and `Connection: close` where it will close;
/// all else is sent as given, without checks, so that a test can also send what no server should. There is no `Date`
/// field unless you add one: a cache under test gets the times that the test chose.
public struct MockResponse: Sendable {
    /// The content, as a value.
    public enum Body: Sendable {
        /// No content.
        case none
        /// These bytes.
        case data(Data)
        /// Each element as a chunk of its own, with that many seconds before each but the first. Empty ones are left out, since an
        /// empty chunk would end the body.
        case chunks([Data], delay: TimeInterval)
        /// That many bytes, made while they are sent: a gigabyte needs no memory. See ``MockResponse/generatedBytes(count:)``.
        case generated(count: Int64)
        /// A gzip stream that decodes to that many zeros, made while it is sent. `Content-Encoding` is yours to add.
        case gzippedZeros(count: Int64)
        /// Pieces with pauses of their own, each of its bytes as a chunk: what comes bit by bit, or never ends.
        case stream([Piece])
    }

    /// A part of a body that is sent as a stream.
    public enum Piece: Hashable, Sendable {
        /// These bytes, as one chunk.
        case bytes(Data)
        /// Nothing for that many seconds.
        case pause(TimeInterval)
        /// Nothing any more: the connection stays open until the client closes it. What follows is not sent.
        case hold
    }

    /// How fast a body is sent: some bytes, a pause, some bytes.
    public struct Pace: Hashable, Sendable {
        /// The bytes of each period, at least 1.
        public let bytes: Int
        /// The seconds from the end of one write to the next, not below zero.
        public let period: TimeInterval

        /// That many bytes, then a pause of that many seconds, and so on.
        public init(bytes: Int, period: TimeInterval) {
            self.bytes = max(1, bytes)
            self.period = max(0, period)
        }

        /// A steady stream: fifty small writes a second look like one.
        public static func steady(bytesPerSecond: Int) -> Pace {
            let bytes = max(1, bytesPerSecond / 50)
            return Pace(bytes: bytes, period: Double(bytes) / Double(max(1, bytesPerSecond)))
        }
    }

    /// How the client is told where the body ends (RFC 9112, section 6).
    public enum Framing: Hashable, Sendable, CaseIterable {
        /// `Content-Length`; chunked for a body of chunks.
        case automatic
        /// `Transfer-Encoding: chunked`.
        case chunked
        /// Neither: the end of the connection is the end of the body.
        case untilClose
    }

    /// An interim response that goes before the final one, such as 103 Early Hints (RFC 8297).
    public struct Interim: Hashable, Sendable {
        /// The status code, 100 to 199.
        public var status: Int
        /// Its fields.
        public var headers: HTTPHeaders

        /// An interim response.
        public init(status: Int, headers: HTTPHeaders = [:]) {
            self.status = status
            self.headers = headers
        }
    }

    /// The status code. It is not checked: 999 is sent as 999.
    public var status: Int
    /// The text behind the status code; nil stands for the usual one.
    public var reasonPhrase: String?
    /// The fields, sent in this order. A `Content-Length` or `Transfer-Encoding` given here replaces the server's own; if it
    /// does not say what is true of the body, the connection is closed behind it.
    public var headers: HTTPHeaders
    /// The content. It is left out for HEAD (its length is told), 1xx, 204 and 304.
    public var body: Body
    /// How the end of the body is marked.
    public var framing = Framing.automatic
    /// Seconds before the first byte of the answer, interim responses included.
    public var delay: TimeInterval = 0
    /// How fast the body is sent; nil for no limit.
    public var pace: Pace?
    /// At most that many bytes of the *request's* body are read a second. See ``readingRequest(bytesPerSecond:)``.
    public var requestBytesPerSecond: Int?
    /// What is sent before the response itself.
    public var interim: [Interim] = []
    /// Fields behind the body, over HTTP/2 only.
    public var trailers: HTTPHeaders = [:]
    /// Whether the connection is closed behind the response, with `Connection: close` in its fields. Over HTTP/2 it gets GOAWAY, and
    /// closes when its other streams are complete, too.
    public var closesConnection = false
    /// Whether it is sent as soon as the head of the request is there. See ``beforeRequestBody()``.
    public var answersBeforeRequestBody = false
    /// What goes wrong on purpose; nil for nothing.
    public var fault: MockFault?
    /// What goes wrong on purpose over HTTP/2, and when; nil for nothing. Over HTTP/1.1 it is passed over.
    public var http2Fault: MockHTTP2Fault.Strike?
    /// What is sent instead of everything else: see ``raw(_:)-(Data)``.
    public var rawBytes: Data?
    /// What is done on a WebSocket, for ``webSocket(_:)``.
    public var webSocket: MockWebSocket?

    /// A response.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
