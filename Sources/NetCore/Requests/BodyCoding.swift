/// Turns a value into the bytes of a request's body. JSON is the default; a property list, XML or Protobuf encoder plugs in
/// by conforming.
public protocol BodyEncoder: Sendable {
    /// What `Content-Type` says of the bytes, unless the request says otherwise.
    var contentType: String { get }

    /// The bytes.
    ///
    /// - Throws: to fail the call with ``NetworkError/encodingError(_:)``.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

/// Turns the bytes of a response into a value. JSON is the default.
public protocol BodyDecoder: Sendable {
    /// The value.
    ///
    /// - Throws: to fail the call with ``NetworkError/decodingError(_:)``.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONEncoder: BodyEncoder {
    /// `application/json` (RFC 8259).
    public var contentType: String { "application/json" }
}

extension JSONDecoder: BodyDecoder {}

extension PropertyListEncoder: BodyEncoder {
    /// `application/x-plist`.
    public var contentType: String { "application/x-plist" }
}

extension PropertyListDecoder: BodyDecoder {}

extension BodyEncoder where Self == JSONEncoder {
    /// Plain JSON: dates as numbers, names as they are.
    public static var json: JSONEncoder { JSONEncoder() }

    /// JSON with dates as ISO 8601 (`"2026-01-31T12:00:00Z"`).
    public static var iso8601: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    /// JSON with ISO 8601 dates and snake-case names (`first_name`).
    public static var snakeCase: JSONEncoder {
        let encoder = iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
    }
}

extension BodyDecoder where Self == JSONDecoder {
    /// Plain JSON: dates as numbers, names as they are.
    public static var json: JSONDecoder { JSONDecoder() }

    /// JSON with dates as ISO 8601.
    public static var iso8601: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// JSON with ISO 8601 dates and snake-case names.
    public static var snakeCase: JSONDecoder {
        let decoder = iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
