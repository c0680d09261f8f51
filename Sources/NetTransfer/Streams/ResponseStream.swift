public import NetClient
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
    public func lines(maximumLength: Int = 8 << 20) -> ResponseStream.Lines {
        ResponseStream.Lines(body: bytes, limit: maximumLength, errors: errors)
    }

    /// The values of a response with one JSON text a line: NDJSON, JSON Lines.
    ///
    /// Lines are as in ``lines(maximumLength:)``; blank ones are left out. One that cannot be decoded ends the sequence with
    /// ``NetworkError/decodingError(_:)``, inside of which a ``ResponseStream/JSONLineError`` names it.
    ///
    /// - Parameters:
    ///   - type: of the values.
    ///   - decoder: plain JSON unless given.
    ///   - maximumLength: the most bytes of a line.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: any BodyDecoder = .json, maximumLength: Int = 8 << 20
    ) -> ResponseStream.JSONLines<Value> {
        ResponseStream.JSONLines(body: bytes, limit: maximumLength, decoder: decoder, errors: errors)
    }

    /// The server-sent events of this one response, whatever its content type says: it ends with the response, and connects to nothing
    /// again. For that, see `NetworkClient.serverSentEvents(from:configuration:)`.
    ///
    /// - Parameter configuration: of which the end marker, the largest event and the last event's id count here.
    public func serverSentEvents(
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence {
        ServerSentEventSequence(source: .response(bytes), configuration: configuration, errors: errors)
    }
}

extension ResponseStream {
    /// The lines of a response, as text: see ``ResponseStream/lines(maximumLength:)``.
    public struct Lines: AsyncSequence, Sendable {
        /// A line without its end.
        public typealias Element = String

        let body: HTTPBody
        let limit: Int
        let errors: StreamErrors

        /// Reads from the start. Of a response that came over a connection, only the first iterator gives the lines.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: LineReader(body, limit: limit, errors: errors))
        }

        /// Goes through the lines.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var reader: LineReader

            /// The next line, or nil at the end.
            ///
            /// - Throws: what ``ResponseStream`` says, ``NetworkError/responseTooLarge(limit:)`` for a line over the limit.
            public mutating func next() async throws -> String? {
                try await reader.next { line, _ in String(decoding: line, as: UTF8.self) }
            }
        }
    }
}

extension ResponseStream {
    /// The values of a response with one JSON text a line (NDJSON, JSON Lines): see ``ResponseStream/jsonLines(of:decoder:maximumLength:)``.
    public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// What stands on one line.
        public typealias Element = Value

        let body: HTTPBody
        let limit: Int
        let decoder: any BodyDecoder
        let errors: StreamErrors

        /// Reads from the start. Of a response that came over a connection, only the first iterator gives the values.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: LineReader(body, limit: limit, errors: errors), decoder: decoder)
        }

        /// Goes through the values.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var reader: LineReader
            fileprivate let decoder: any BodyDecoder

            /// The value of the next line that is not blank, or nil at the end.
            ///
            /// - Throws: what ``ResponseStream`` says, ``NetworkError/decodingError(_:)`` with a ``ResponseStream/JSONLineError`` inside,
            ///   ``NetworkError/responseTooLarge(limit:)`` for a line over the limit. Then it is at its end.
            @concurrent
            public mutating func next() async throws -> Value? {
                try await reader.next { [decoder] line, number in
                    guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else { return nil }
                    do {
                        return try decoder.decode(Value.self, from: Data(line))
                    } catch {
                        throw NetworkError.decodingError(
                            ResponseStream.JSONLineError(line: number, underlyingError: error))
                    }
                }
            }
        }
    }
}

extension ResponseStream {
    /// A line of a stream could not be decoded: inside ``NetworkError/decodingError(_:)``.
    public struct JSONLineError: Error, Sendable {
        /// The number of the line, 1 for the first. Blank lines count.
        public let line: Int
        /// What the decoder threw.
        public let underlyingError: any Error

        /// An error.
        public init(line: Int, underlyingError: any Error) {
            self.line = line
            self.underlyingError = underlyingError
        }
    }
}

extension ResponseStream.JSONLineError: CustomStringConvertible, SecretFreeError {
    /// The line's number and what is wrong, without what stands on the line.
    public var description: String { "line \(line): \(secretFreeText(of: underlyingError))" }
}

// Responses that are read as they come.
extension NetworkClient {
    /// Sends an endpoint's request, and gives the response as soon as its head is there.
    ///
    /// ```swift
    /// let stream = try await client.stream(GetUserEndpoint(id: "123"))
    /// for try await chunk in stream.bytes { process(chunk) }
    /// ```
    ///
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not accepted, with up to 1 MiB of the
    ///   body. (``CallBuilder/stream()`` gives any status, as a bare response: make it a ``ResponseStream`` to read its lines.)
    public func stream(_ endpoint: some Endpoint) async throws(NetworkFailure) -> ResponseStream {
        try await call(to: endpoint).stream()
    }

    /// Sends a request, and gives the response as soon as its head is there.
    ///
    /// - Throws: as ``stream(_:)-(Endpoint)``.
    public func stream<Value>(_ request: Request<Value>) async throws(NetworkFailure) -> ResponseStream {
        try await call(for: request).stream()
    }

    /// Sends a request, and gives the response as soon as its head is there.
    ///
    /// - Parameters:
    ///   - request: its `httpBody` or `httpBodyStream` is the body, unless `body` is given.
    ///   - body: what to send.
    ///   - context: goes along; nil makes a new one.
    /// - Throws: as ``stream(_:)-(Endpoint)``.
    public func stream(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> ResponseStream {
        try await call(for: request, body: body, context: context).stream()
    }

    func call(to endpoint: some Endpoint) -> StreamCall {
        StreamCall(client: self) { [self] () throws(NetworkFailure) in
            StreamRequest(try prepared(CallOptions()) { try lower(endpoint) })
        }
    }

    func call<Value>(for request: Request<Value>) -> StreamCall {
        StreamCall(client: self) { [self] () throws(NetworkFailure) in
            StreamRequest(try prepared(options(for: request, cached: false)) { try lower(request) })
        }
    }

    func call(for request: URLRequest, body: HTTPBody?, context: RequestContext?) -> StreamCall {
        StreamCall(client: self) { [clock] () throws(NetworkFailure) in
            StreamRequest(request: request, body: body, context: context ?? RequestContext(clock: clock))
        }
    }
}
