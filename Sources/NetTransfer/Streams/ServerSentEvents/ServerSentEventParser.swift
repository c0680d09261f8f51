public import NetCore

/// Reads an event stream (`text/event-stream`, WHATWG HTML, section 9.2.6) from bytes in any pieces.
///
/// ```swift
/// var parser = ServerSentEventParser()
/// parser.append(Data("data: hello\n\n".utf8))
/// while let event = try parser.next() { show(event.data) }
/// ```
///
/// How the bytes are cut into pieces makes no difference. An event without the blank line that ends it is never given.
public struct ServerSentEventParser: Sendable {
    private let limit: Int
    private var scanner: LineScanner
    private var fields: EventFields

    /// A parser at the start of a stream.
    ///
    /// - Parameters:
    ///   - lastEventID: that of the events before, for those that have none.
    ///   - maximumEventSize: the most bytes of the data of one event, and of any line; 8 MiB unless set.
    public init(lastEventID: String = "", maximumEventSize: Int = 8 << 20) {
        limit = max(0, maximumEventSize)
        scanner = LineScanner(limit: limit)
        fields = EventFields(lastEventID: lastEventID, limit: limit)
    }

    /// The ID of the last event that is complete, with data or without: what `Last-Event-ID` says when the connection is made again.
    public var lastEventID: String { fields.lastEventID }

    /// What the last `retry` said, in seconds; nil if there was none. It may be any number.
    public var reconnectionTime: TimeInterval? { fields.reconnectionTime }

    /// Adds what came. Take all events (``next()``) before there is more, or it costs time.
    public mutating func append(_ bytes: Data) {
        scanner.append(bytes)
    }

    /// The next event, or nil if more has to come for it.
    ///
    /// - Throws: ``NetworkError/responseTooLarge(limit:)`` for an event or a line over the limit, behind all events before it. Then
    ///   there is none any more.
    public mutating func next() throws(NetworkError) -> ServerSentEvent? {
        if !fields.isOverLimit, let step = try scanner.first({ fields.take($0) }), case .event(let event) = step {
            return event
        }
        if fields.isOverLimit { throw .responseTooLarge(limit: limit) }
        return nil
    }
}
