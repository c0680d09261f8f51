public import NetCore

/// A fault of a ``MockResponse`` over HTTP/2, set by ``MockResponse/fault(http2:at:after:)``.
///
/// ```swift
/// server.on("/cut", .text("cut short").fault(http2: .reset(.noError), at: .afterBody(40)))
/// server.on("/refused", .ok.fault(http2: .reset(.refusedStream), at: .beforeHead))
/// ```
///
/// If a client may ignore the fault, the rest of the response follows, up to END_STREAM. A ``MockFault`` works over HTTP/2, too: a
/// fault of the connection acts on the whole connection, and a malformed response becomes the nearest fault of HTTP/2.
public enum MockHTTP2Fault: Hashable, Sendable {
    /// The point at which a fault strikes.
    public enum Point: Hashable, Sendable {
        /// Before the HEADERS of the response.
        case beforeHead
        /// After the HEADERS.
        case afterHead
        /// After that many bytes of DATA, or after the whole body if it is shorter. END_STREAM is not sent before it.
        case afterBody(Int)

        /// Each point once, the last one after 40 bytes.
        public static let examples: [Point] = [.beforeHead, .afterHead, .afterBody(40)]
    }

    /// A fault and its point.
    public struct Strike: Hashable, Sendable {
        public var fault: MockHTTP2Fault
        public var point: Point
        /// The seconds between the bytes before the fault and the fault.
        public var delay: TimeInterval

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
        /// The stream before that of the response, so that the response's was not processed.
        case previous
        case id(Int)
    }

    /// The owner of a window.
    public enum Scope: Hashable, Sendable, CaseIterable {
        /// The stream of the response.
        case stream
        /// The connection.
        case connection
    }

    /// RST_STREAM with that code. Nothing of the response follows.
    case reset(TransportError.HTTP2Code)
    /// GOAWAY. With ``TransportError/HTTP2Code/noError`` the accepted streams are completed. With another code the connection ends.
    case goAway(TransportError.HTTP2Code, last: LastStream = .accepted)
    /// The TCP connection is closed (FIN), with all its streams.
    case close
    /// The TCP connection is reset (RST), 20 ms after the bytes sent before.
    case resetConnection
    /// Nothing more is sent on the stream, not even END_STREAM. The connection stays usable.
    case missingEnd
    /// Bytes instead of a frame.
    case raw(Data)
    case frames([MockHTTP2Frame])

    /// A DATA frame one byte longer than the client's SETTINGS_MAX_FRAME_SIZE.
    case oversizedFrame
    /// A WINDOW_UPDATE frame of three bytes.
    case badFrameLength
    /// DATA on a stream that the client did not open.
    case dataOnIdleStream
    /// DATA after END_STREAM.
    case dataAfterEnd
    /// DATA beyond the client's window.
    case dataBeyondWindow(Scope)
    /// SETTINGS_INITIAL_WINDOW_SIZE of 2^31.
    case badSetting
    /// WINDOW_UPDATE of zero.
    case zeroWindowUpdate(Scope)
    /// WINDOW_UPDATE of 2^31-1, twice.
    case windowOverflow(Scope)
    /// Bytes that are not a frame.
    case garbage
    /// A frame of an unknown type, which a client must ignore.
    case unknownFrame
    /// PUSH_PROMISE, which clients disable.
    case pushPromise
    /// A response of HTTP/1.1.
    case http1Response

    /// HEADERS without `:status`.
    case missingStatus
    /// A field name with upper-case letters.
    case upperCaseField
    /// The field `connection`, which HTTP/2 forbids.
    case connectionField
    /// `content-length` is half the length of the body.
    case bodyLongerThanLength
    /// `content-length` is twice the length of the body, which ends at the point.
    case bodyShorterThanLength
    /// A valid field list of about that many bytes, over CONTINUATION frames.
    case largeHeaders(bytes: Int)
    /// Trailer fields, which are valid.
    case trailers
    /// 103 before the head, which is valid. At another point it follows the head, which is a fault.
    case interim
    /// A string with an invalid Huffman code.
    case badHuffman
    /// An index beyond the table.
    case badIndex
    /// A field of 4,000 bytes that is repeated that many times by one byte each.
    case hpackBomb(copies: Int = 16_000)

    /// That many frames of one kind, or frames without an end if nil.
    case flood(MockHTTP2Flood, frames: Int? = nil)
}

/// The frames of ``MockHTTP2Fault/flood(_:frames:)``.
public enum MockHTTP2Flood: Hashable, Sendable, CaseIterable {
    /// SETTINGS with an unknown setting. A client acknowledges each.
    case settings
    /// PING. A client acknowledges each.
    case ping
    /// A field block that continues in CONTINUATION frames of 1 KB.
    case continuation
    /// A field block that continues in empty CONTINUATION frames.
    case emptyContinuation
    /// Empty DATA without END_STREAM.
    case emptyData
    /// RST_STREAM for the stream of the response.
    case reset
    /// PRIORITY, which clients ignore.
    case priority
    /// WINDOW_UPDATE of one byte for the connection.
    case windowUpdate
}

extension MockHTTP2Fault: CaseIterable {
    /// Each fault with some of its codes and numbers.
    public static let allCases: [MockHTTP2Fault] =
        resets + [
            .goAway(.noError), .goAway(.noError, last: .current), .goAway(.noError, last: .previous),
            .goAway(.internalError), .goAway(.enhanceYourCalm, last: .previous), .close, .resetConnection, .missingEnd,
        ] + violations + malformedResponses + harmless + MockHTTP2Flood.allCases.map { .flood($0) }

    /// RST_STREAM with each registered code.
    public static let resets: [MockHTTP2Fault] = TransportError.HTTP2Code.allCases.map { .reset($0) }

    /// The faults that break a rule of the connection or of the stream.
    public static let violations: [MockHTTP2Fault] =
        [
            .oversizedFrame, .badFrameLength, .dataOnIdleStream, .dataAfterEnd, .badSetting, .garbage, .pushPromise,
            .http1Response, .badHuffman, .badIndex,
        ] + Scope.allCases.flatMap { [.zeroWindowUpdate($0), .windowOverflow($0), .dataBeyondWindow($0)] }

    /// The faults that break a rule of HTTP, or stretch it.
    public static let malformedResponses: [MockHTTP2Fault] = [
        .missingStatus, .upperCaseField, .connectionField, .bodyLongerThanLength, .bodyShorterThanLength,
        .largeHeaders(bytes: 300_000), .hpackBomb(),
    ]

    /// Valid responses that a client must accept.
    public static let harmless: [MockHTTP2Fault] = [.unknownFrame, .trailers, .interim]

    /// Whether the response never ends, so that the client needs a timeout or a limit.
    public var isEndless: Bool {
        switch self {
        case .missingEnd, .flood(_, nil): true
        default: false
        }
    }
}
