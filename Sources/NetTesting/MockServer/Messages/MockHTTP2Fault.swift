public import NetCore

/// What a ``MockResponse`` does wrong on purpose over HTTP/2, by ``MockResponse/fault(http2:at:after:)``.
///
/// ```swift
/// server.on("/cut", .text("cut short").fault(http2: .reset(.noError), at: .afterBody(40)))
/// server.on("/refused", .ok.fault(http2: .reset(.refusedStream), at: .beforeHead))
/// ```
///
/// Where a client may overlook the fault, the rest of the response follows, up to END_STREAM. A ``MockFault`` works over HTTP/2, too:
/// one of the connection acts on the whole connection, and a malformed response becomes the nearest that HTTP/2 has.
public enum MockHTTP2Fault: Hashable, Sendable {
    /// When a fault strikes.
    public enum Point: Hashable, Sendable {
        /// Before the HEADERS of the response.
        case beforeHead
        /// Behind the HEADERS.
        case afterHead
        /// Behind that many bytes of DATA, or behind the whole body if it is shorter. END_STREAM is not sent before it.
        case afterBody(Int)

        /// Each point once, the last one after 40 bytes.
        public static let examples: [Point] = [.beforeHead, .afterHead, .afterBody(40)]
    }

    /// A fault of a response, and when it strikes.
    public struct Strike: Hashable, Sendable {
        /// What goes wrong.
        public var fault: MockHTTP2Fault
        /// When.
        public var point: Point
        /// The seconds between what is sent before the fault and the fault.
        public var delay: TimeInterval

        /// A fault at a point.
        public init(_ fault: MockHTTP2Fault, at point: Point = .afterHead, after delay: TimeInterval = 0) {
            self.fault = fault
            self.point = point
            self.delay = delay
        }
    }

    /// The last-stream-id of a GOAWAY.
    public enum LastStream: Hashable, Sendable {
        /// The highest stream that the server accepted.
        case accepted
        /// The stream of the response.
        case current
        /// The stream before that of the response, which therefore was not processed.
        case previous
        /// That number.
        case id(Int)
    }

    /// What a window belongs to.
    public enum Scope: Hashable, Sendable, CaseIterable {
        /// The stream of the response.
        case stream
        /// The connection.
        case connection
    }

    /// RST_STREAM with that code. Nothing of the response follows.
    case reset(HTTP2ErrorCode)
    /// GOAWAY. With ``HTTP2ErrorCode/noError`` the streams that it spares are completed; with another code the connection ends.
    case goAway(HTTP2ErrorCode, last: LastStream = .accepted)
    /// The TCP connection ends (FIN), with all that is on it.
    case close
    /// The TCP connection is torn down (RST), 20 ms after what was sent before.
    case resetConnection
    /// Nothing more is sent on the stream, also no END_STREAM. The connection goes on.
    case missingEnd
    /// These bytes instead of a frame.
    case raw(Data)
    /// These frames.
    case frames([MockHTTP2Frame])

    /// A DATA frame of one byte more than the client's SETTINGS_MAX_FRAME_SIZE.
    case oversizedFrame
    /// A WINDOW_UPDATE frame of three bytes.
    case badFrameLength
    /// DATA on a stream that the client has not opened.
    case dataOnIdleStream
    /// DATA behind END_STREAM.
    case dataAfterEnd
    /// DATA beyond the client's window.
    case dataBeyondWindow(Scope)
    /// SETTINGS_INITIAL_WINDOW_SIZE of 2^31.
    case badSetting
    /// WINDOW_UPDATE of zero.
    case zeroWindowUpdate(Scope)
    /// WINDOW_UPDATE of 2^31-1, twice.
    case windowOverflow(Scope)
    /// Bytes that are no frame.
    case garbage
    /// A frame of an unknown type, which a client has to ignore.
    case unknownFrame
    /// PUSH_PROMISE, which clients disable.
    case pushPromise
    /// A whole response of HTTP/1.1 as text.
    case http1Response

    /// HEADERS without `:status`.
    case missingStatus
    /// A field whose name has upper-case letters.
    case upperCaseField
    /// The field `connection`, which HTTP/2 does not have.
    case connectionField
    /// `content-length` is half of the body that follows.
    case bodyLongerThanLength
    /// `content-length` is twice the body that is sent with END_STREAM: the whole, or as much as the point says.
    case bodyShorterThanLength
    /// A correct field list of about that many bytes, over CONTINUATION frames.
    case largeHeaders(bytes: Int)
    /// Fields behind the body, which is no fault.
    case trailers
    /// 103 before the head, which is no fault. At another point it comes behind the head, which is one.
    case interim
    /// A string with an invalid Huffman code.
    case badHuffman
    /// An index beyond the table.
    case badIndex
    /// A field of 4,000 bytes that is then repeated that many times by one byte each.
    case hpackBomb(copies: Int = 16_000)

    /// Many frames of one kind; nil for frames without an end.
    case flood(MockHTTP2Flood, frames: Int? = nil)
}

/// The frames of ``MockHTTP2Fault/flood(_:frames:)``.
public enum MockHTTP2Flood: Hashable, Sendable, CaseIterable {
    /// SETTINGS with a setting that is unknown, each of which a client acknowledges.
    case settings
    /// PING, each of which a client acknowledges.
    case ping
    /// A field block that goes on in CONTINUATION frames of 1 KB.
    case continuation
    /// The same with CONTINUATION frames that are empty.
    case emptyContinuation
    /// DATA without a byte and without END_STREAM.
    case emptyData
    /// RST_STREAM for the stream of the response.
    case reset
    /// PRIORITY, which clients pass over.
    case priority
    /// WINDOW_UPDATE of one byte for the connection.
    case windowUpdate
}

extension MockHTTP2Fault: CaseIterable {
    /// Each fault, with some of the codes and numbers that it can have.
    public static let allCases: [MockHTTP2Fault] =
        resets + [
            .goAway(.noError), .goAway(.noError, last: .current), .goAway(.noError, last: .previous),
            .goAway(.internalError), .goAway(.enhanceYourCalm, last: .previous), .close, .resetConnection, .missingEnd,
        ] + violations + malformedResponses + harmless + MockHTTP2Flood.allCases.map { .flood($0) }

    /// RST_STREAM with each registered code.
    public static let resets: [MockHTTP2Fault] = HTTP2ErrorCode.allCases.map { .reset($0) }

    /// The frames that break a rule of the connection or of the stream.
    public static let violations: [MockHTTP2Fault] =
        [
            .oversizedFrame, .badFrameLength, .dataOnIdleStream, .dataAfterEnd, .badSetting, .garbage, .pushPromise,
            .http1Response, .badHuffman, .badIndex,
        ] + Scope.allCases.flatMap { [.zeroWindowUpdate($0), .windowOverflow($0), .dataBeyondWindow($0)] }

    /// The responses that break a rule of HTTP, or stretch it.
    public static let malformedResponses: [MockHTTP2Fault] = [
        .missingStatus, .upperCaseField, .connectionField, .bodyLongerThanLength, .bodyShorterThanLength,
        .largeHeaders(bytes: 300_000), .hpackBomb(),
    ]

    /// What a client has to accept.
    public static let harmless: [MockHTTP2Fault] = [.unknownFrame, .trailers, .interim]

    /// Whether the client never gets an end, and only its own timeout or limit can help it.
    public var isEndless: Bool {
        switch self {
        case .missingEnd, .flood(_, nil): true
        default: false
        }
    }
}
