public import NetCore

/// A response of ``MockServer``, made by one of the static members and changed by modifiers.
///
/// ```swift
/// server.enqueue(.json(user), .status(503).header("Retry-After", "1"), .text("late").delayed(by: 0.2))
/// ```
///
/// The server adds `Content-Length` or `Transfer-Encoding`, and `Connection: close` if it will close. It sends everything else as
/// given and without checks, so that a test can also send invalid responses. There is no `Date` field unless you add one, so that
/// a cache under test gets the times of the test.
public struct MockResponse: Sendable {
    /// The content of a response.
    public enum Body: Sendable {
        case none
        case data(Data)
        /// That many bytes, made while they are sent, so that a gigabyte needs no memory. See ``MockResponse/generatedBytes(count:)``.
        case generated(count: Int64)
        /// A gzip stream that decodes to that many zeros, made while it is sent. Add `Content-Encoding` yourself.
        case gzippedZeros(count: Int64)
        /// Pieces with pauses of their own, for bodies that are slow or never end. Empty bytes, which would end the body, are left out.
        case stream([Piece])
    }

    /// A part of a body that is streamed.
    public enum Piece: Hashable, Sendable {
        /// Bytes, as one chunk.
        case bytes(Data)
        /// A pause in seconds.
        case pause(TimeInterval)
        /// No more bytes. The connection stays open until the client closes it, and later pieces are not sent.
        case hold
    }

    /// The way in which the client learns where the body ends (RFC 9112, section 6).
    public enum Framing: Hashable, Sendable, CaseIterable {
        /// `Content-Length`, or chunked for a body in parts.
        case automatic
        /// `Transfer-Encoding: chunked`.
        case chunked
        /// The end of the connection.
        case untilClose
    }

    /// The status code, which is not checked.
    public var status: Int
    /// The fields, sent in this order. `Content-Length` or `Transfer-Encoding` replaces the server's own field. If it is not true of
    /// the body, the connection is closed after it.
    public var headers: HTTPHeaders
    /// The content. It is left out for 1xx, 204 and 304, and for HEAD, where only its length is sent.
    public var body: Body

    // What the modifiers set.
    var reasonPhrase: String?
    var framing = Framing.automatic
    var delay: TimeInterval = 0
    var pace: [Step] = []
    var requestBytesPerSecond: Int?
    var interim: [(status: Int, headers: HTTPHeaders)] = []
    var trailers: HTTPHeaders = [:]
    var closesConnection = false
    var answersBeforeRequestBody = false
    var fault: MockFault?
    /// With the seconds between the bytes before the fault and the fault.
    package var http2Fault: (fault: MockHTTP2Fault, point: MockHTTP2Fault.Point, delay: TimeInterval)?
    var rawBytes: Data?
    var webSocket: MockWebSocket?

    public init(status: Int = 200, headers: HTTPHeaders = [:], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    private func with(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var copy = self
        change(&copy)
        return copy
    }

    /// Sets the status.
    public func status(_ status: Int, reason: String? = nil) -> MockResponse {
        with {
            $0.status = status
            $0.reasonPhrase = reason
        }
    }

    /// Sets a field, replacing fields of the same name.
    public func header(_ name: String, _ value: String) -> MockResponse {
        with { $0.headers.add(name: name, value: value) }
    }

    /// Adds a field besides those of the same name, as for `Set-Cookie`.
    public func addingHeader(_ name: String, _ value: String) -> MockResponse {
        with { $0.headers.append(name: name, value: value) }
    }

    /// Sets a cookie besides others (RFC 6265, section 4.1).
    ///
    /// - Parameters:
    ///   - name: the name. Nothing is checked, so that a test can send an invalid cookie.
    ///   - value: the value.
    ///   - attributes: the attributes as they are sent: `"Path=/"`, `"Max-Age=60"`, `"HttpOnly"`.
    public func settingCookie(_ name: String, _ value: String, _ attributes: String...) -> MockResponse {
        addingHeader("Set-Cookie", (["\(name)=\(value)"] + attributes).joined(separator: "; "))
    }

    /// Delays the first byte, also of interim responses, by that many seconds after the request.
    public func delayed(by seconds: TimeInterval) -> MockResponse { with { $0.delay = seconds } }

    /// Limits the speed of the body, by fifty small writes per second.
    public func throttled(bytesPerSecond: Int) -> MockResponse {
        let bytes = max(1, bytesPerSecond / 50)
        return throttled(bytes: bytes, every: Double(bytes) / Double(max(1, bytesPerSecond)))
    }

    /// Sends the body in bursts: that many bytes, a pause of that many seconds, and so on.
    public func throttled(bytes: Int, every period: TimeInterval) -> MockResponse {
        with { $0.pace = [.pace(bytes: max(1, bytes), period: max(0, period))] }
    }

    /// Sets the way in which the client learns where the body ends.
    public func framed(_ framing: Framing) -> MockResponse { with { $0.framing = framing } }

    /// Adds an interim response, such as 103 Early Hints (RFC 8297).
    public func preceded(by status: Int, headers: HTTPHeaders = [:]) -> MockResponse {
        with { $0.interim.append((status, headers)) }
    }

    /// Sets the trailer fields (RFC 9110, section 6.5). HTTP/1.1 sends the body chunked; HTTP/1.0, and a body framed by you, have none.
    public func trailers(_ trailers: HTTPHeaders) -> MockResponse { with { $0.trailers = trailers } }

    /// Closes the connection after the response, which gets `Connection: close`. Over HTTP/2, a GOAWAY closes it after the last stream.
    public func closingConnection(_ closes: Bool = true) -> MockResponse { with { $0.closesConnection = closes } }

    /// Sets the fault.
    public func fault(_ fault: MockFault?) -> MockResponse { with { $0.fault = fault } }

    /// Sets the fault over HTTP/2. HTTP/1.1 ignores it.
    ///
    /// The head has no `content-length` unless you set the field. A response without a body gets 1,000 bytes.
    ///
    /// - Parameters:
    ///   - fault: the fault.
    ///   - point: the point of the response at which the fault strikes.
    ///   - delay: the seconds between the bytes before the fault and the fault. Without it, clients read both at once.
    public func fault(
        http2 fault: MockHTTP2Fault, at point: MockHTTP2Fault.Point = .afterHead, after delay: TimeInterval = 0
    ) -> MockResponse {
        with { $0.http2Fault = (fault, point, delay) }
    }

    /// Sends the response as soon as the head of the request is complete, and closes the connection after it. A client that sent
    /// `Expect: 100-continue` gets this status and no 100.
    ///
    /// It works for scripted responses and routes without a closure. A closure gets the complete request.
    public func beforeRequestBody() -> MockResponse { with { $0.answersBeforeRequestBody = true } }

    /// Limits the speed at which the body of the request is read, so that a client feels back-pressure. Like
    /// ``beforeRequestBody()``, it works for responses that do not come from a closure.
    public func readingRequest(bytesPerSecond: Int) -> MockResponse {
        with { $0.requestBytesPerSecond = max(1, bytesPerSecond) }
    }
}
