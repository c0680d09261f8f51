/// What a ``MockResponse`` does wrong on purpose. Tests can loop over ``allCases``: a client must survive each.
///
/// ```swift
/// @Test(arguments: MockFault.allCases) func survives(_ fault: MockFault) async throws {
///     let server = try MockServer()
///     server.enqueue(.text("hello").fault(fault))
///     let response: NetworkResponse<String> = await networking.request(RequestConfig(url: server.url, timeout: 1))
///     #expect(!fault.isEndless || !response.isSuccess)
/// }
/// ```
public enum MockFault: Hashable, Sendable {
    /// When a connection fault strikes.
    public enum Point: Hashable, Sendable, CaseIterable {
        /// As soon as the connection is accepted. Only a *scripted* response that is next in the queue strikes here, and takes
        /// the first connection that comes, whatever for; elsewhere it strikes as soon as it is known.
        case onAccept
        /// When the first bytes of the request are there, before they are looked at: it is not recorded.
        case beforeRequest
        /// When half of the request's body was read, or a first part if its length is unknown; behind the head if it has none.
        case inRequestBody
        /// When the request was read, before a byte of the answer.
        case beforeResponse
        /// In the middle of the header fields.
        case inHeaders
        /// In the middle of the body. A response without one gets 1,000 bytes.
        case inBody
    }

    /// The connection is closed in order (FIN).
    case close(Point)
    /// The server ends its half (FIN), and goes on to read until the client closes.
    case halfClose(Point)
    /// The connection is torn down (RST). What was sent before it gets 20 ms to arrive. A Unix-domain socket is just closed.
    case reset(Point)
    /// The server does nothing more, neither reads nor writes, until the client closes.
    case stall(Point)

    /// `Content-Length` promises the whole body, half of it comes, then the connection is closed.
    case truncatedBody
    /// A chunked body that is closed in the middle of a chunk.
    case truncatedChunkedBody
    /// A chunked body whose second chunk has a size that is no number.
    case badChunkSize
    /// A status line that is none.
    case garbageStatusLine
    /// A field without a colon.
    case malformedHeader
    /// Fields that never end.
    case endlessHeaders
    /// Interim responses (100 Continue) that never end.
    case endlessInterimResponses
    /// A body without a length that never ends.
    case endlessBody
    /// Two `Content-Length` fields that differ (RFC 9110, section 8.6: must not be accepted).
    case conflictingContentLengths
    /// `Content-Encoding: gzip`, and behind the gzip header bytes that are no deflate stream.
    case corruptGzip
    /// `Content-Encoding: gzip`: 7 MB that decompress to 1 GiB of zeros.
    case decompressionBomb
}

extension MockFault: CaseIterable {
    /// Each connection fault at each point, then the malformed responses.
    public static let allCases: [MockFault] =
        Point.allCases.flatMap { [.close($0), .halfClose($0), .reset($0), .stall($0)] } + malformedResponses

    /// The faults that leave the connection alone and break the rules of HTTP, or stretch them.
    public static let malformedResponses: [MockFault] = [
        .truncatedBody, .truncatedChunkedBody, .badChunkSize, .garbageStatusLine, .malformedHeader, .endlessHeaders,
        .endlessInterimResponses, .endlessBody, .conflictingContentLengths, .corruptGzip, .decompressionBomb,
    ]

    /// When it strikes, for the faults of the connection; nil for malformed responses.
    public var point: Point? {
        switch self {
        case .close(let point), .halfClose(let point), .reset(let point), .stall(let point): point
        default: nil
        }
    }

    /// Whether the client never gets an end, and only its own timeout or limit can help it.
    public var isEndless: Bool {
        switch self {
        case .stall, .endlessHeaders, .endlessInterimResponses, .endlessBody: true
        default: false
        }
    }
}
