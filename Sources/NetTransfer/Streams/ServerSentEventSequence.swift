public import NetClient
public import NetCore

/// The events of a server (WHATWG HTML, section 9.2), over several connections.
///
/// ```swift
/// for try await event in client.serverSentEvents(for: request) {
///     print(event.event, event.data)
/// }
/// ```
///
/// Each iteration starts again. It handles these cases:
///
/// | Case | What follows |
/// |---|---|
/// | the response ends, or the connection is lost | a new request with `Last-Event-ID`, after `retry` or the configured time |
/// | connecting fails temporarily (no connection, a timeout, 408, 429, 5xx) | the same, with growing pauses and a limit on the attempts |
/// | 204 | the end |
/// | another status that is not a success | ``NetworkError/requestFailed(statusCode:data:)`` |
/// | a content type other than `text/event-stream` | ``NetworkError/decodingError(_:)`` with an ``ResponseValidation/UnacceptableContentType`` |
/// | an event over the limit | ``NetworkError/responseTooLarge(limit:)`` |
/// | the end marker | the end |
/// | the task is cancelled | ``NetworkError/cancelled``; the connection is closed at once |
///
/// A connection without a byte for the request's timeout counts as lost. Servers send comments to keep it alive. A header field cannot carry a
/// server's ID with control characters: the next request has no `Last-Event-ID` then. A request that must not be sent again
/// (``ServerSentEventSequence/Configuration/Reconnection``) ends the sequence with its response. The sequence throws ``NetworkFailure``, or
/// ``NetworkError`` if it comes from `Networking`.
public struct ServerSentEventSequence: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent

    enum Source: Sendable {
        case response(HTTPBody)
        case call(StreamCall)
    }

    let source: Source
    let configuration: ServerSentEventSequence.Configuration
    let errors: StreamErrors

    /// Returns the data of the events, decoded.
    ///
    /// Data that cannot be decoded ends the sequence with ``NetworkError/decodingError(_:)``. If only some events have this type, use
    /// ``ServerSentEvent/decode(_:decoder:)`` for each.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - decoder: decodes the data; plain JSON by default.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: any BodyDecoder = .json
    ) -> ResponseStream.Values<Value> {
        ResponseStream.Values {
            var reader = EventReader(self)
            return { try await reader.next { event in try event.decode(Value.self, decoder: decoder) } }
        }
    }

    /// Connects when the first event is awaited.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: EventReader(self)) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: EventReader

        /// Returns the next event, or nil at the end.
        public mutating func next() async throws -> ServerSentEvent? { try await next(isolation: #isolation) }

        /// Returns the next event, or nil at the end. A `for await` calls it on the caller's actor, which saves two changes of executors.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            if let event = try reader.ready() { return event }
            return try await reader.awaited()
        }
    }
}

extension ServerSentEventSequence {
    /// How an event stream is read, and when it reconnects.
    public struct Configuration: Hashable, Sendable {
        /// Which requests are sent again when their event stream has ended.
        public enum Reconnection: Hashable, Sendable {
            /// No request. The sequence ends with the response.
            case never
            /// Requests with a safe method, such as GET. A POST that asks for a completion is not repeated.
            case safeMethods
            /// All requests. A body has to be replayable.
            case always
        }

        /// The ID of the last event seen earlier, sent as `Last-Event-ID` with the first request unless it is empty.
        public var lastEventID = ""
        public var reconnection = Reconnection.safeMethods
        /// The pause before a request is sent again, in seconds, until the server sets it with `retry`. At least 0.1 s, against a busy loop.
        public var reconnectionTime: TimeInterval = 3
        /// The pause after a failed attempt to connect, if it is longer. A `Retry-After` makes it longer as well.
        public var backoff = RetryPolicy.Delay.exponential(base: 1, multiplier: 2, jitter: 0.1, maximum: 60)
        /// How many failed attempts in a row end the sequence, with the last failure; at least one. An opened stream resets the count.
        public var maxConsecutiveErrors = 10
        /// The largest number of bytes of an event's data, and of a line. A larger one ends the sequence with
        /// ``NetworkError/responseTooLarge(limit:)``.
        public var maximumEventSize = 8 << 20
        /// The data that ends the sequence and is not delivered, such as `[DONE]` of OpenAI's API, or nil.
        public var endMarker: String?

        /// Creates a configuration that follows browsers: safe requests are sent again after 3 s, or the server's `retry`.
        public init() {}

        /// A single response that ends with `[DONE]`, for chat completions and the like.
        public static let completions: ServerSentEventSequence.Configuration = {
            var configuration = ServerSentEventSequence.Configuration()
            configuration.reconnection = .never
            configuration.endMarker = "[DONE]"
            return configuration
        }()
    }
}

// Server-sent events with reconnection, as in browsers.
extension NetworkClient {
    /// Returns the events of an endpoint.
    ///
    /// ```swift
    /// for try await event in client.serverSentEvents(from: GetUserEndpoint(id: "123")) { print(event.data) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: an endpoint with any ``Endpoint/Response``. Each connection reads its headers and other properties again.
    ///   - configuration: reconnection, limits and the end marker.
    /// - Returns: a sequence that connects when it is read. It throws ``NetworkFailure``.
    public func serverSentEvents(
        from endpoint: some Endpoint,
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence { streamCall(to: endpoint).events(configuration) }

    /// Returns the events of a request.
    ///
    /// - Returns: as ``serverSentEvents(from:configuration:)``.
    public func serverSentEvents<Value>(
        for request: Request<Value>,
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence { streamCall(for: request).events(configuration) }

    /// Returns the events of a request.
    ///
    /// - Parameters:
    ///   - request: the request. Its `httpBody` is sent unless `body` is given. `Accept`, `Cache-Control` and `Last-Event-ID` are added if missing.
    ///   - body: the body.
    ///   - context: the context of each request, or nil for a new one.
    ///   - configuration: reconnection, limits and the end marker.
    /// - Returns: as ``serverSentEvents(from:configuration:)``.
    public func serverSentEvents(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil,
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence { streamCall(for: request, body: body, context: context).events(configuration) }
}

extension StreamCall {
    /// Returns the events of the call's response, and of later connections.
    package func events(_ configuration: ServerSentEventSequence.Configuration) -> ServerSentEventSequence {
        ServerSentEventSequence(source: .call(self), configuration: configuration, errors: errors(of: nil))
    }
}
