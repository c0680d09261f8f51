public import NetCore

/// An event of an event stream (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The type: the field `event`, or `message`.
    public var event: String
    /// The data: the fields `data`, joined by line feeds.
    public var data: String
    /// The last event ID: the field `id` of this event or an earlier one, or empty.
    public var id: String

    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }

    /// Decodes the data.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: decodes the data; plain JSON by default.
    /// - Throws: ``NetworkError/decodingError(_:)``.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: any BodyDecoder = .json
    ) throws(NetworkError) -> Value {
        do { return try decoder.decode(type, from: Data(data.utf8)) } catch { throw .decodingError(error) }
    }
}

extension ServerSentEvent {
    /// Parses an event stream (`text/event-stream`, WHATWG HTML, section 9.2.6) from chunks of bytes.
    ///
    /// ```swift
    /// var parser = ServerSentEvent.Parser()
    /// parser.append(Data("data: hello\n\n".utf8))
    /// while let event = try parser.next() { print(event.data) }
    /// ```
    ///
    /// Chunks may begin and end anywhere. An event without the blank line that ends it is dropped.
    public struct Parser: Sendable {
        private var scanner: ChunkScanner<LineCursor>
        private var fields: EventFields

        /// Creates a parser at the start of a stream.
        ///
        /// - Parameters:
        ///   - lastEventID: the ID of the last event before the stream.
        ///   - maximumEventSize: the largest number of bytes of an event's data, and of a line; 8 MiB by default.
        public init(lastEventID: String = "", maximumEventSize: Int = 8 << 20) {
            let limit = max(0, maximumEventSize)
            scanner = ChunkScanner(LineCursor(limit: limit))
            fields = EventFields(lastEventID: lastEventID, limit: limit)
        }

        /// The ID of the last complete event, with or without data: the `Last-Event-ID` of a reconnection.
        public var lastEventID: String { fields.lastEventID }

        /// The last `retry` in seconds, or nil. It may be any number.
        public var reconnectionTime: TimeInterval? { fields.reconnectionTime }

        /// Adds a chunk. Take all events with ``next()`` first, or the rest is moved with each chunk.
        public mutating func append(_ bytes: Data) { scanner.append(bytes) }

        /// Returns the next event, or nil if more bytes are needed.
        ///
        /// - Throws: ``NetworkError/responseTooLarge(limit:)`` for an event or a line over the limit, after all events before it. No event follows.
        public mutating func next() throws(NetworkError) -> ServerSentEvent? {
            if !fields.isOverLimit, let step = try scanner.first({ fields.take($0) }), case .event(let event) = step {
                return event
            }
            if fields.isOverLimit { throw .responseTooLarge(limit: fields.limit) }
            return nil
        }
    }
}

/// The buffers of WHATWG HTML, section 9.2.6, which collect the fields of an event.
struct EventFields: Sendable {
    let limit: Int
    /// The data lines so far, or nil before the first. Most events have one, which is copied only once this way.
    private var data: String?
    /// The number of bytes of the data, including line ends.
    private var size = 0
    /// The type, or nil if it is missing or empty.
    private var type: String?
    /// Becomes ``lastEventID`` at the blank line, so that an incomplete event at the end has no effect.
    private var newID: String?
    /// Kept between connections, as in browsers, not cleared as specified: an event without an `id` after a reconnection would lose the position.
    private(set) var lastEventID: String
    /// The last `retry`, in seconds.
    private(set) var reconnectionTime: TimeInterval?
    /// Whether an event exceeded the limit. The rest of the stream is not read.
    private(set) var isOverLimit = false

    init(lastEventID: String, limit: Int) {
        self.limit = limit
        self.lastEventID = lastEventID
    }

    /// The result of a line. An optional of an optional in its place would make streams of short events slower.
    enum Step {
        case event(ServerSentEvent)
        case overLimit
    }

    /// Reads a line. Returns nil if the next line is needed.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Step? {
        guard !line.isEmpty else { return dispatch().map(Step.event) }
        // The longest name of a field has five letters.
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
            // Decoding by line is safe, since no character spans a line end.
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
        defer { (data, size, type) = (nil, 0, nil) }
        return data.map { ServerSentEvent(event: type ?? "message", data: $0, id: lastEventID) }
    }

    /// Reads milliseconds in any number of ASCII digits. Nil for anything else.
    private static func seconds(_ value: UnsafeRawBufferPointer) -> TimeInterval? {
        guard !value.isEmpty, value.allSatisfy(\.isDigit) else { return nil }
        return value.reduce(0) { $0 * 10 + TimeInterval($1 - UInt8(ascii: "0")) } / 1000
    }
}
