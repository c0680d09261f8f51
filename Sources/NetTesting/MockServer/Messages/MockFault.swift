/// A fault of a ``MockResponse``. Tests can loop over ``allCases``, since a client must survive each.
///
/// ```swift
/// @Test(arguments: MockFault.allCases) func survives(_ fault: MockFault) async throws {
///     let server = try MockServer()
///     server.enqueue(.text("hello").fault(fault))
///     let response: NetworkResponse<String> = await networking.request(RequestConfig(url: server.url, timeout: 1))
///     #expect(!fault.isEndless || !response.isSuccess)
/// }
/// ```
public enum MockFault: Hashable, Sendable, CaseIterable {
    /// The point at which a fault of the connection strikes.
    public enum Point: Hashable, Sendable, CaseIterable {
        /// As soon as the connection is accepted. This needs a *scripted* response that is next in the queue, and strikes the next
        /// connection, whatever its request. Other responses fail as soon as they are known.
        case onAccept
        /// When the first bytes of the request have arrived, before they are parsed. The request is not recorded.
        case beforeRequest
        /// When half of the request's body was read, or a first part if the length is unknown. Without a body, after the head.
        case inRequestBody
        /// When the request was read, before a byte of the response.
        case beforeResponse
        /// In the middle of the header fields.
        case inHeaders
        /// In the middle of the body. A response without one gets 1,000 bytes.
        case inBody
    }

    /// The server closes the connection (FIN).
    case close(Point)
    /// The server closes its half (FIN), and reads until the client closes.
    case halfClose(Point)
    /// The server resets the connection (RST), 20 ms after the bytes sent before. A Unix-domain socket is just closed.
    case reset(Point)
    /// The server neither reads nor writes until the client closes.
    case stall(Point)

    /// `Content-Length` is that of the whole body, but the server closes after half of it.
    case truncatedBody
    /// The server closes in the middle of a chunk.
    case truncatedChunkedBody
    /// The size of the second chunk is not a number.
    case badChunkSize
    /// The status line is garbage.
    case garbageStatusLine
    /// A field has no colon.
    case malformedHeader
    /// The header fields never end.
    case endlessHeaders
    /// Interim responses (100 Continue) never end.
    case endlessInterimResponses
    /// A body without a length never ends.
    case endlessBody
    /// Two `Content-Length` fields differ (RFC 9110, section 8.6: must not be accepted).
    case conflictingContentLengths
    /// `Content-Encoding: gzip`, but the bytes after the gzip header are not a deflate stream.
    case corruptGzip
    /// `Content-Encoding: gzip` with 7 MB that decompress to 1 GiB of zeros.
    case decompressionBomb

    /// Each connection fault at each point, then the malformed responses.
    public static let allCases: [MockFault] =
        Point.allCases.flatMap { [.close($0), .halfClose($0), .reset($0), .stall($0)] } + malformedResponses

    /// The faults of the response, which break the rules of HTTP or stretch them.
    public static let malformedResponses: [MockFault] = [
        .truncatedBody, .truncatedChunkedBody, .badChunkSize, .garbageStatusLine, .malformedHeader, .endlessHeaders,
        .endlessInterimResponses, .endlessBody, .conflictingContentLengths, .corruptGzip, .decompressionBomb,
    ]

    /// The point of a fault of the connection; nil for malformed responses.
    public var point: Point? {
        switch self {
        case .close(let point), .halfClose(let point), .reset(let point), .stall(let point): point
        default: nil
        }
    }

    /// Whether the response never ends, so that the client needs a timeout or a limit.
    public var isEndless: Bool {
        switch self {
        case .stall, .endlessHeaders, .endlessInterimResponses, .endlessBody: true
        default: false
        }
    }
}
