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
