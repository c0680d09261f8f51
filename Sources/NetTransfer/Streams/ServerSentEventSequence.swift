public import NetClient
public import NetCore

/// The events of a server (WHATWG HTML, section 9.2), over as many connections as it takes.
///
/// ```swift
/// for try await event in client.serverSentEvents(for: request) {
///     print(event.event, event.data)
/// }
/// ```
///
/// Each loop over it begins anew. What it does on the way:
///
/// | What happens | What follows |
/// |---|---|
/// | the response ends, or the connection is lost while it is read | after `retry`, or the configured time: the request again, with `Last-Event-ID` |
/// | connecting fails, in a way that may pass (no connection, a timeout, 408, 429, 5xx) | the same after a longer and longer pause, up to a number of times in a row |
/// | 204 | the end |
/// | any other status that is no success | ``NetworkError/requestFailed(statusCode:data:)`` |
/// | another content type than `text/event-stream` | ``NetworkError/decodingError(_:)`` with an ``UnacceptableContentType`` inside |
/// | an event over the limit | ``NetworkError/responseTooLarge(limit:)`` |
/// | the end marker | the end |
/// | the task is cancelled | ``NetworkError/cancelled``; the connection is closed at once |
///
/// A connection on which nothing comes for as long as the request's timeout is taken for lost. Servers send comments to keep it busy.
///
/// Requests that are not to be sent again (``ServerSentEventSequence/Configuration/Reconnection``) end with their response, or its failure.
///
/// What it throws is a ``NetworkFailure``, or a ``NetworkError`` if it was made by `Networking`.
public struct ServerSentEventSequence: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    enum Source: Sendable {
        /// The body of the only response.
        case response(HTTPBody)
        case call(EventSource)
    }

    let source: Source
    let configuration: ServerSentEventSequence.Configuration
    let errors: StreamErrors

    /// The data of the events, as values.
    ///
    /// What cannot be decoded ends the sequence with ``NetworkError/decodingError(_:)``. Where only some events are of this type, decode
    /// each by ``ServerSentEvent/decode(_:decoder:)``.
    ///
    /// - Parameters:
    ///   - type: of the values.
    ///   - decoder: plain JSON unless given.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: any BodyDecoder = .json
    ) -> ServerSentEventSequence.Decoded<Value> {
        ServerSentEventSequence.Decoded(events: self, decoder: decoder)
    }

    /// Connects when the first event is asked for.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: EventReader(self)) }

    /// Goes through the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: EventReader

        /// The next event, or nil at the end.
        public mutating func next() async throws -> ServerSentEvent? {
            try await next(isolation: #isolation)
        }

        /// The next event, or nil at the end: what a `for await` calls, on the caller's actor. With ``next()`` alone each event would cost
        /// two changes of executors.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            if let event = try reader.ready() { return event }
            return try await reader.awaited()
        }
    }
}

extension ServerSentEventSequence {
    /// The data of server-sent events, as values: see ``ServerSentEventSequence/decode(_:decoder:)``.
    public struct Decoded<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// What the data of one event is.
        public typealias Element = Value

        let events: ServerSentEventSequence
        let decoder: any BodyDecoder

        /// Connects when the first value is asked for.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: EventReader(events), decoder: decoder)
        }

        /// Goes through the values.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var reader: EventReader
            fileprivate let decoder: any BodyDecoder

            /// The value of the next event, or nil at the end.
            @concurrent
            public mutating func next() async throws -> Value? {
                try await reader.next { [decoder] event in try event.decode(Value.self, decoder: decoder) }
            }
        }
    }
}

extension ServerSentEventSequence {
    /// How an event stream is read, and when it is connected to again.
    public struct Configuration: Hashable, Sendable {
        /// Which requests are sent again when their event stream has ended.
        public enum Reconnection: Hashable, Sendable {
            /// None: the sequence ends with the response.
            case never
            /// Those whose method is safe, such as GET. One that makes the server do something (a POST that asks for a completion) is not
            /// repeated.
            case safeMethods
            /// All. A body has to be replayable.
            case always
        }

        /// Sent as `Last-Event-ID` with the first request, if it is not empty: the ID of the last event that was seen earlier.
        public var lastEventID = ""
        /// Which requests are sent again when their event stream has ended.
        public var reconnection = Reconnection.safeMethods
        /// How long to wait before that, in seconds, until the server says otherwise by `retry`. At least 0.1 s are waited, or a server that
        /// ends each stream at once would be asked without a pause.
        public var reconnectionTime: TimeInterval = 3
        /// How long to wait before that, if it is longer, after an attempt to connect that failed. `Retry-After` makes it longer as well.
        public var backoff = RetryDelay.exponential(base: 1, multiplier: 2, jitter: 0.1, maximum: 60)
        /// The sequence fails with the failure of that many attempts to connect in a row; less than one counts as one. Each event stream
        /// that is opened begins a new count.
        public var maxConsecutiveErrors = 10
        /// The most bytes of the data of one event, and of any line. A larger one ends the sequence with
        /// ``NetworkError/responseTooLarge(limit:)``.
        public var maximumEventSize = 8 << 20
        /// Data that ends the sequence, and is not given: `[DONE]` for APIs in OpenAI's style; nil for none.
        public var endMarker: String?

        /// What browsers do: safe requests are sent again after 3 s, or what the server says.
        public init() {}

        /// One response, whose end is marked by `[DONE]`: for chat completions and the like.
        public static let completions: ServerSentEventSequence.Configuration = {
            var configuration = ServerSentEventSequence.Configuration()
            configuration.reconnection = .never
            configuration.endMarker = "[DONE]"
            return configuration
        }()
    }
}

// Server-sent events, connected to again as a browser does.
extension NetworkClient {
    /// The events of an endpoint.
    ///
    /// ```swift
    /// for try await event in client.serverSentEvents(from: GetUserEndpoint(id: "123")) { print(event.data) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: whatever its own ``Endpoint/Response`` is. It is asked for its headers and the like at each connection.
    ///   - configuration: when it is connected to again, limits, the end marker.
    /// - Returns: a sequence that connects when it is read. What it throws is a ``NetworkFailure``.
    public func serverSentEvents(
        from endpoint: some Endpoint,
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence {
        call(to: endpoint).events(configuration)
    }

    /// The events of a request.
    ///
    /// - Returns: as ``serverSentEvents(from:configuration:)``.
    public func serverSentEvents<Value>(
        for request: Request<Value>,
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence {
        call(for: request).events(configuration)
    }

    /// The events of a request.
    ///
    /// - Parameters:
    ///   - request: its `httpBody` is the body, unless `body` is given. `Accept`, `Cache-Control` and `Last-Event-ID` are added where it
    ///     has none.
    ///   - body: what to send.
    ///   - context: goes along; nil makes a new one for each connection.
    ///   - configuration: when it is connected to again, limits, the end marker.
    /// - Returns: as ``serverSentEvents(from:configuration:)``.
    public func serverSentEvents(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil,
        configuration: ServerSentEventSequence.Configuration = ServerSentEventSequence.Configuration()
    ) -> ServerSentEventSequence {
        call(for: request, body: body, context: context).events(configuration)
    }
}

extension StreamCall {
    /// The events of its response, and of those that follow.
    package func events(_ configuration: ServerSentEventSequence.Configuration) -> ServerSentEventSequence {
        ServerSentEventSequence(
            source: .call(EventSource(call: self, configuration: configuration)), configuration: configuration,
            errors: errors(of: nil))
    }
}
