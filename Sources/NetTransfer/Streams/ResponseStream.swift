public import NetClient
public import NetCore

/// A response whose head has arrived, and whose body is read as it arrives.
///
/// ```swift
/// let stream = try await networking.stream(url: url)
/// print(stream.status, stream.headers["Content-Type"] ?? "")
/// for try await line in stream.lines() { print(line) }
/// ```
///
/// **Pace.** Reading drives the transfer, and a slow reader slows the server down. Only a chunk and the transport's small buffer are in memory.
///
/// **End.** Cancelling the task that reads closes the connection at once. Leaving the loop closes it when stream and sequences are released.
///
/// **Errors.** The sequences throw a ``NetworkFailure`` for a stream of a `NetworkClient`, and a ``NetworkError`` for one of `Networking`;
/// `.cancelled` if the task was cancelled. The body can be read once, by one of them. A second reader gets ``NetworkError/bodyNotReplayable``.
public struct ResponseStream: Sendable {
    /// The response. Its body is ``bytes``.
    public let response: TransportResponse
    let errors: StreamErrors

    /// Creates a stream from a response, such as that of `CallBuilder.stream()`. The status is not checked.
    public init(_ response: TransportResponse) {
        self.init(response, errors: StreamErrors(response, clock: .system, isPlain: false))
    }

    package init(_ response: TransportResponse, errors: StreamErrors) {
        var response = response
        response.body = response.body.mappingErrors(includingCancellation: true) { errors($0) }
        self.response = response
        self.errors = errors
    }

    public var status: Int { response.status }
    public var headers: HTTPHeaders { response.headers }

    /// The bytes in chunks, as they arrive. A chunk is never empty. Its size depends on the transport, up to about 256 KiB.
    public var bytes: HTTPBody { response.body }

    /// Returns the lines as text. Malformed UTF-8 becomes U+FFFD.
    ///
    /// A line ends with LF, CRLF or CR. The last one needs no end. A byte order mark is removed.
    ///
    /// - Parameter maximumLength: the largest number of bytes of a line; 8 MiB by default. A longer line throws
    ///   ``NetworkError/responseTooLarge(limit:)`` after the lines before it.
    public func lines(maximumLength: Int = 8 << 20) -> ResponseStream.Lines {
        ResponseStream.Lines(body: bytes, limit: maximumLength, errors: errors)
    }

    /// Returns the values of a response with one JSON text a line: NDJSON, JSON Lines.
    ///
    /// Lines are those of ``lines(maximumLength:)``, without blank ones. A line that cannot be decoded ends the sequence with
    /// ``NetworkError/decodingError(_:)``, which contains a ``ResponseStream/JSONLineError``.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - decoder: decodes each line; plain JSON by default.
    ///   - maximumLength: the largest number of bytes of a line.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: any BodyDecoder = .json, maximumLength: Int = 8 << 20
    ) -> ResponseStream.Values<Value> {
        values(LineCursor(limit: maximumLength)) { line, number in
            guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else { return nil }
            do {
                return try decoder.decode(Value.self, from: Data(line))
            } catch {
                throw NetworkError.decodingError(ResponseStream.JSONLineError(line: number, underlyingError: error))
            }
        }
    }

    /// Returns the server-sent events of this response, of any content type. The sequence ends with the response, and does not reconnect.
    /// See `NetworkClient.serverSentEvents(from:configuration:)` for one that does.
    ///
    /// - Parameter configuration: its end marker, largest event and last event ID apply.
    public func serverSentEvents(
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence {
        ServerSentEventSequence(source: .response(bytes), configuration: configuration, errors: errors)
    }
}

extension ResponseStream {
    /// The lines of a response as text: see ``ResponseStream/lines(maximumLength:)``.
    public struct Lines: AsyncSequence, Sendable {
        /// A line without its end.
        public typealias Element = String

        let body: HTTPBody
        let limit: Int
        let errors: StreamErrors

        /// Reads from the start. A response of a connection gives its lines only to the first iterator.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: ChunkReader(body, LineCursor(limit: limit), errors: errors))
        }

        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var reader: ChunkReader<LineCursor>

            /// Returns the next line, or nil at the end.
            ///
            /// - Throws: the errors of ``ResponseStream``, and ``NetworkError/responseTooLarge(limit:)`` for a line over the limit.
            public mutating func next() async throws -> String? {
                try await reader.next { line, _ in String(decoding: line, as: UTF8.self) }
            }
        }
    }

    /// Decoded values, each as soon as it has arrived: see ``ResponseStream/jsonLines(of:decoder:maximumLength:)``,
    /// ``ResponseStream/elements(of:decoder:keyPath:maximumSize:)``, ``ServerSentEventSequence/decode(_:decoder:)`` and
    /// ``LongPollingSequence/throwing``.
    public struct Values<Value: Sendable>: AsyncSequence, Sendable {
        public typealias Element = Value

        /// Returns a function that returns the next value.
        let makeReader: @Sendable () -> () async throws -> Value?

        /// Reads from the start. A response of a connection gives its values only to the first iterator.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: makeReader()) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let read: () async throws -> Value?

            /// Returns the next value, or nil at the end.
            ///
            /// - Throws: the errors of the function or property that returned the sequence. An error ends the sequence.
            @concurrent
            public mutating func next() async throws -> Value? { try await read() }
        }
    }

    /// Returns the values of the body's items. `decode` is called with an item, and its number, 1 for the first. It returns nil to skip the item.
    func values<Value>(
        _ cursor: some ChunkCursor, decode: @escaping @Sendable (UnsafeRawBufferPointer, Int) throws -> Value?
    ) -> ResponseStream.Values<Value> {
        ResponseStream.Values { [bytes, errors] in
            var reader = ChunkReader(bytes, cursor, errors: errors)
            return { try await reader.next(decode) }
        }
    }

    /// The error of a line that cannot be decoded. ``NetworkError/decodingError(_:)`` contains it.
    public struct JSONLineError: Error, Sendable {
        /// The number of the line, 1 for the first. Blank lines count.
        public let line: Int
        public let underlyingError: any Error

        public init(line: Int, underlyingError: any Error) {
            self.line = line
            self.underlyingError = underlyingError
        }
    }
}

extension ResponseStream.JSONLineError: CustomStringConvertible, SecretFreeError {
    /// The number of the line and the error, without the line's content.
    public var description: String { "line \(line): \(secretFreeText(of: underlyingError))" }
}

// Responses that are read as they arrive.
extension NetworkClient {
    /// Sends an endpoint's request. Returns the response as soon as its head has arrived.
    ///
    /// ```swift
    /// let stream = try await client.stream(GetUserEndpoint(id: "123"))
    /// for try await chunk in stream.bytes { process(chunk) }
    /// ```
    ///
    /// - Throws: ``NetworkFailure``, with ``NetworkError/requestFailed(statusCode:data:)`` and up to 1 MiB of the body for a status that is
    ///   not accepted. (``CallBuilder/stream()`` accepts any status. Its response can be wrapped in a ``ResponseStream``.)
    public func stream(_ endpoint: some Endpoint) async throws(NetworkFailure) -> ResponseStream {
        try await streamCall(to: endpoint).stream()
    }

    /// Sends a request. Returns the response as soon as its head has arrived.
    ///
    /// - Throws: as ``stream(_:)-(Endpoint)``.
    public func stream<Value>(_ request: Request<Value>) async throws(NetworkFailure) -> ResponseStream {
        try await streamCall(for: request).stream()
    }

    /// Sends a request. Returns the response as soon as its head has arrived.
    ///
    /// - Parameters:
    ///   - request: the request. Its `httpBody` or `httpBodyStream` is sent unless `body` is given.
    ///   - body: the body.
    ///   - context: the context of the request, or nil for a new one.
    /// - Throws: as ``stream(_:)-(Endpoint)``.
    public func stream(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> ResponseStream {
        try await streamCall(for: request, body: body, context: context).stream()
    }

    func streamCall(to endpoint: some Endpoint) -> StreamCall {
        StreamCall(client: self) { [self] () throws(NetworkFailure) in
            try build { try call(for: endpoint) }
        }
    }

    func streamCall<Value>(for request: Request<Value>) -> StreamCall {
        StreamCall(client: self) { [self] () throws(NetworkFailure) in
            try build { try call(for: request, cached: false) }
        }
    }

    func streamCall(for request: URLRequest, body: HTTPBody?, context: RequestContext?) -> StreamCall {
        StreamCall(client: self) { [clock] () throws(NetworkFailure) in
            BuiltCall(request: request, body: body, context: context ?? RequestContext(clock: clock))
        }
    }
}
