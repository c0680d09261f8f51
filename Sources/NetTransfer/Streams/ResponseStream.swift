public import NetCore

/// A response whose head is there, and whose body is to be read as it comes.
///
/// ```swift
/// let stream = try await networking.stream(url: url)
/// print(stream.status, stream.headers["Content-Type"] ?? "")
/// for try await line in stream.lines() { print(line) }
/// ```
///
/// **Pace.** Reading drives the transfer. Who reads slowly slows the server down: beside the chunk that is being taken apart, no more
/// than the transport's small buffer is in memory.
///
/// **End.** Cancelling the task that reads closes the connection at once. Leaving the loop early closes it when the stream, and what
/// was made of it, is let go.
///
/// **Errors.** What the sequences throw is a ``NetworkFailure`` for a stream of a `NetworkClient`, and a ``NetworkError`` for one of
/// `Networking`; `.cancelled` if the task was cancelled. They can be read once, and together only one of them: a second reader gets
/// ``NetworkError/bodyNotReplayable``.
public struct ResponseStream: Sendable {
    /// The response. Its body is ``bytes``.
    public let response: TransportResponse
    private let errors: StreamErrors

    /// A stream of a response that came otherwise, such as from `CallBuilder.stream()`. Its status is not looked at.
    public init(_ response: TransportResponse) {
        self.init(response, errors: StreamErrors(response, clock: .system, isPlain: false))
    }

    package init(_ response: TransportResponse, errors: StreamErrors) {
        var response = response
        response.body = response.body.mappingErrors(includingCancellation: true) { errors($0) }
        self.response = response
        self.errors = errors
    }

    /// The status code.
    public var status: Int { response.status }
    /// The header fields.
    public var headers: HTTPHeaders { response.headers }

    /// The bytes, in chunks as they come: never empty, of any size that the transport finds good (up to 256 KiB or so).
    public var bytes: HTTPBody { response.body }

    /// The lines, as text: UTF-8, in which malformed bytes become U+FFFD.
    ///
    /// A line ends with LF, CRLF or CR; the last one needs no end. A byte order mark is left out.
    ///
    /// - Parameter maximumLength: the most bytes of a line; 8 MiB unless set. A longer one is
    ///   ``NetworkError/responseTooLarge(limit:)``, behind the lines before it.
    public func lines(maximumLength: Int = 8 << 20) -> LineSequence {
        LineSequence(body: bytes, limit: maximumLength, errors: errors)
    }

    /// The values of a response with one JSON text a line: NDJSON, JSON Lines.
    ///
    /// Lines are as in ``lines(maximumLength:)``; blank ones are left out. One that cannot be decoded ends the sequence with
    /// ``NetworkError/decodingError(_:)``, inside of which a ``JSONLineError`` names it.
    ///
    /// - Parameters:
    ///   - type: of the values.
    ///   - decoder: plain JSON unless given.
    ///   - maximumLength: the most bytes of a line.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: any BodyDecoder = .json, maximumLength: Int = 8 << 20
    ) -> JSONLineSequence<Value> {
        JSONLineSequence(body: bytes, limit: maximumLength, decoder: decoder, errors: errors)
    }

    /// The server-sent events of this one response, whatever its content type says: it ends with the response, and connects to nothing
    /// again. For that, see `NetworkClient.serverSentEvents(from:configuration:)`.
    ///
    /// - Parameter configuration: of which the end marker, the largest event and the last event's id count here.
    public func serverSentEvents(
        configuration: ServerSentEventsConfiguration = ServerSentEventsConfiguration()
    ) -> ServerSentEventSequence {
        ServerSentEventSequence(source: .response(bytes), configuration: configuration, errors: errors)
    }
}
