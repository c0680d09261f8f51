public import NetCore

/// One event of an event stream (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// Its type: what stood in `event`, or `message`.
    public var event: String
    /// Its data: what stood in `data`, several lines joined by line feeds.
    public var data: String
    /// The last event ID: what stood in `id`, of this event or of one before it; empty if none had any.
    public var id: String

    /// An event.
    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }

    /// The data as a value.
    ///
    /// - Parameters:
    ///   - type: of the value.
    ///   - decoder: plain JSON unless given.
    /// - Throws: ``NetworkError/decodingError(_:)``.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: any BodyDecoder = .json
    ) throws(NetworkError) -> Value {
        do {
            return try decoder.decode(type, from: Data(data.utf8))
        } catch {
            throw .decodingError(error)
        }
    }
}

extension ServerSentEvent {
    /// Reads an event stream (`text/event-stream`, WHATWG HTML, section 9.2.6) from bytes in any pieces.
    ///
    /// ```swift
    /// var parser = ServerSentEvent.Parser()
    /// parser.append(Data("data: hello\n\n".utf8))
    /// while let event = try parser.next() { show(event.data) }
    /// ```
    ///
    /// How the bytes are cut into pieces makes no difference. An event without the blank line that ends it is never given.
    public struct Parser: Sendable {
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
}

/// The buffers of WHATWG HTML, section 9.2.6: gathers the fields of an event, line by line.
struct EventFields: Sendable {
    private let limit: Int
    /// The lines so far; nil before the first. Most events have one, which is copied once this way.
    private var data: String?
    /// How many bytes came for it, its line ends included.
    private var size = 0
    /// Nil for none, and for an empty one, which is as good as none.
    private var type: String?
    /// Becomes ``lastEventID`` with the blank line: what is left incomplete at the end of the stream does not count.
    private var newID: String?
    /// The specification has it empty for each connection; browsers keep it, or an event without an `id` behind a reconnection
    /// would make the next one lose its place.
    private(set) var lastEventID: String
    /// What the last `retry` said, in seconds.
    private(set) var reconnectionTime: TimeInterval?
    /// Whether an event was larger than the limit. Then nothing is to be made of what follows.
    private(set) var isOverLimit = false

    init(lastEventID: String, limit: Int) {
        self.limit = limit
        self.lastEventID = lastEventID
    }

    /// What a line leads to.
    enum Step {
        case event(ServerSentEvent)
        case overLimit
    }

    /// Takes a line; nil if the next one is to be taken.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Step? {
        guard !line.isEmpty else { return dispatch().map(Step.event) }
        // No field has a name of more than five letters.
        var colon = 0
        while colon < min(line.count, 6), line[colon] != UInt8(ascii: ":") { colon += 1 }
        var start = min(colon + 1, line.count)
        if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        set(line, nameLength: colon, to: UnsafeRawBufferPointer(rebasing: line[start...]))
        return isOverLimit ? .overLimit : nil
    }

    private mutating func set(_ line: UnsafeRawBufferPointer, nameLength: Int, to value: UnsafeRawBufferPointer) {
        func isNamed(_ name: StaticString) -> Bool {
            guard nameLength == name.utf8CodeUnitCount, let base = line.baseAddress else { return false }
            return memcmp(base, name.utf8Start, nameLength) == 0
        }
        if isNamed("data") {
            guard value.count <= limit - size else {
                isOverLimit = true
                return
            }
            size += value.count + 1
            // Line by line, since no character of several bytes has a line end in it.
            let text = String(decoding: value, as: UTF8.self)
            if data == nil {
                data = text
            } else {
                data?.append("\n")
                data?.append(text)
            }
        } else if isNamed("event") {
            type = value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        } else if isNamed("id") {
            if !value.contains(0) { newID = String(decoding: value, as: UTF8.self) }
        } else if isNamed("retry"), let seconds = Self.seconds(value) {
            reconnectionTime = seconds
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        if let id = newID {
            lastEventID = id
            newID = nil
        }
        defer {
            data = nil
            size = 0
            type = nil
        }
        return data.map { ServerSentEvent(event: type ?? "message", data: $0, id: lastEventID) }
    }

    /// Milliseconds in ASCII digits, of which there may be any number; nil for anything else.
    private static func seconds(_ value: UnsafeRawBufferPointer) -> TimeInterval? {
        guard !value.isEmpty, value.allSatisfy(\.isDigit) else { return nil }
        return value.reduce(0) { $0 * 10 + TimeInterval($1 - UInt8(ascii: "0")) } / 1000
    }
}
