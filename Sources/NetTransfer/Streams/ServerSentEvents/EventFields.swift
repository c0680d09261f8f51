import NetCore

/// The buffers of WHATWG HTML, section 9.2.6: gathers the fields of an event, line by line.
struct EventFields: Sendable {
    private let limit: Int
    private var data: [UInt8] = []
    private var type = ""
    /// Becomes ``lastEventID`` with the blank line: what is left incomplete at the end of the stream does not count.
    private var idBuffer: String
    private(set) var lastEventID: String
    /// What the last `retry` said, in seconds.
    private(set) var reconnectionTime: TimeInterval?
    /// Whether an event was larger than the limit. Then nothing is to be made of what follows.
    private(set) var isOverLimit = false

    init(lastEventID: String, limit: Int) {
        self.limit = limit
        self.lastEventID = lastEventID
        // The specification has it empty for each connection; browsers keep it, or an event without an `id` behind a reconnection
        // would make the next one lose its place.
        idBuffer = lastEventID
    }

    /// Takes a line, and gives the event that it ends.
    mutating func take(_ line: UnsafeRawBufferPointer) -> ServerSentEvent? {
        guard !line.isEmpty else { return dispatch() }
        // No field has a name of more than five letters.
        var colon = 0
        while colon < min(line.count, 6), line[colon] != UInt8(ascii: ":") { colon += 1 }
        var start = min(colon + 1, line.count)
        if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        set(line, nameLength: colon, to: UnsafeRawBufferPointer(rebasing: line[start...]))
        return nil
    }

    private mutating func set(_ line: UnsafeRawBufferPointer, nameLength: Int, to value: UnsafeRawBufferPointer) {
        func isNamed(_ name: StaticString) -> Bool {
            guard nameLength == name.utf8CodeUnitCount, let base = line.baseAddress else { return false }
            return memcmp(base, name.utf8Start, nameLength) == 0
        }
        if isNamed("data") {
            guard value.count <= limit - data.count else {
                isOverLimit = true
                return
            }
            data.append(contentsOf: value)
            data.append(UInt8(ascii: "\n"))
        } else if isNamed("event") {
            type = String(decoding: value, as: UTF8.self)
        } else if isNamed("id") {
            if !value.contains(0) { idBuffer = String(decoding: value, as: UTF8.self) }
        } else if isNamed("retry"), let seconds = Self.seconds(value) {
            reconnectionTime = seconds
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = idBuffer
        defer {
            data.removeAll(keepingCapacity: true)
            type = ""
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            event: type.isEmpty ? "message" : type,
            data: String(decoding: data.dropLast(), as: UTF8.self), id: lastEventID)
    }

    /// Milliseconds in ASCII digits, of which there may be any number; nil for anything else.
    private static func seconds(_ value: UnsafeRawBufferPointer) -> TimeInterval? {
        guard !value.isEmpty, value.allSatisfy(\.isDigit) else { return nil }
        return value.reduce(0) { $0 * 10 + TimeInterval($1 - UInt8(ascii: "0")) } / 1000
    }
}
