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
/// Requests that are not to be sent again (``ServerSentEventsConfiguration/Reconnection``) end with their response, or its failure.
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
    let configuration: ServerSentEventsConfiguration
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
    ) -> DecodedEventSequence<Value> {
        DecodedEventSequence(events: self, decoder: decoder)
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

/// The data of server-sent events, as values: see ``ServerSentEventSequence/decode(_:decoder:)``.
public struct DecodedEventSequence<Value: Decodable & Sendable>: AsyncSequence, Sendable {
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
