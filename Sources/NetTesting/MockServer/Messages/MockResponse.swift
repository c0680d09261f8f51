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

extension MockResponse {
    private func with(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var copy = self
        change(&copy)
        return copy
    }

    /// With this status.
    public func status(_ status: Int, reason: String? = nil) -> MockResponse {
        with {
            $0.status = status
            $0.reasonPhrase = reason
        }
    }

    /// With this field, replacing those of the same name.
    public func header(_ name: String, _ value: String) -> MockResponse {
        with { $0.headers.add(name: name, value: value) }
    }

    /// With this field besides those of the same name, as for `Set-Cookie`.
    public func addingHeader(_ name: String, _ value: String) -> MockResponse {
        with { $0.headers.append(name: name, value: value) }
    }

    /// Sent that many seconds after the request.
    public func delayed(by seconds: TimeInterval) -> MockResponse {
        with { $0.delay = seconds }
    }

    /// With a body that is sent at most that fast.
    public func throttled(bytesPerSecond: Int) -> MockResponse {
        with { $0.pace = .steady(bytesPerSecond: bytesPerSecond) }
    }

    /// With a body that is sent in bursts: that many bytes, a pause of that many seconds, and so on.
    public func throttled(bytes: Int, every period: TimeInterval) -> MockResponse {
        with { $0.pace = Pace(bytes: bytes, period: period) }
    }

    /// With the end of the body marked like that.
    public func framed(_ framing: Framing) -> MockResponse {
        with { $0.framing = framing }
    }

    /// After an interim response, such as 103 Early Hints. Can be used several times.
    public func preceded(by status: Int, headers: HTTPHeaders = [:]) -> MockResponse {
        with { $0.interim.append(Interim(status: status, headers: headers)) }
    }

    /// With these fields behind the body (RFC 9110, section 6.5). Only HTTP/2 sends them.
    public func trailers(_ trailers: HTTPHeaders) -> MockResponse {
        with { $0.trailers = trailers }
    }

    /// The connection is closed behind the response.
    public func closingConnection(_ closes: Bool = true) -> MockResponse {
        with { $0.closesConnection = closes }
    }

    /// Something goes wrong on purpose.
    public func fault(_ fault: MockFault?) -> MockResponse {
        with { $0.fault = fault }
    }

    /// Something goes wrong on purpose over HTTP/2. Over HTTP/1.1 the response is sent as it is.
    ///
    /// The head has no `content-length` unless the response has that field. A response without a body gets 1,000 bytes.
    ///
    /// - Parameters:
    ///   - fault: what goes wrong.
    ///   - point: when.
    ///   - delay: the seconds between what is sent before the fault and the fault. Without a delay, clients read both at once, and some
    ///     behave differently.
    public func fault(
        http2 fault: MockHTTP2Fault, at point: MockHTTP2Fault.Point = .afterHead, after delay: TimeInterval = 0
    ) -> MockResponse {
        with { $0.http2Fault = MockHTTP2Fault.Strike(fault, at: point, after: delay) }
    }

    /// Sent as soon as the head of the request is there; the body is not waited for, and the connection is closed behind it. A
    /// client that sent `Expect: 100-continue` gets this status and no 100.
    ///
    /// It works where the response is known by then: scripted, or on a route without a closure. A closure is asked when the
    /// whole request is there.
    public func beforeRequestBody() -> MockResponse {
        with { $0.answersBeforeRequestBody = true }
    }

    /// The body of the request is read at most that fast, so that a client feels back-pressure. Like
    /// ``beforeRequestBody()``, for responses that are known when the head is there.
    public func readingRequest(bytesPerSecond: Int) -> MockResponse {
        with { $0.requestBytesPerSecond = max(1, bytesPerSecond) }
    }
}
