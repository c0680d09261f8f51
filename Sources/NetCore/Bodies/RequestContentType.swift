/// The encoding of a request's body and its `Content-Type`.
///
/// `Data` is sent as it is, with any type. A `String` is sent as UTF-8 text, unless the type is JSON or a form.
///
/// ```swift
/// let request = Request<User>(method: .post, path: "/login", body: ["name": "Leia"], contentType: .formURLEncoded)
/// ```
public struct RequestContentType: Sendable {
    /// Nil for a type with a closure.
    let name: Name?
    private let closure: (@Sendable ((any Encodable & Sendable)?, any BodyEncoder) throws -> EncodedBody?)?

    /// An encoded body and its media type.
    public struct EncodedBody: Sendable {
        public var body: HTTPBody
        /// The value of `Content-Type`, unless the request has one.
        public var contentType: String

        public init(_ body: HTTPBody, contentType: String) {
            self.body = body
            self.contentType = contentType
        }
    }

    /// Creates a custom type.
    ///
    /// - Parameter makeBody: receives the request's value, if any, and the client's encoder, and returns nil for no body. If it throws, the
    ///   request fails with ``NetworkError/encodingError(_:)``.
    public init(
        makeBody:
            @escaping @Sendable (_ value: (any Encodable & Sendable)?, _ encoder: any BodyEncoder) throws ->
            EncodedBody?
    ) {
        closure = makeBody
        name = nil
    }

    init(_ name: Name) {
        closure = nil
        self.name = name
    }

    /// Uses the client's encoder, which is JSON by default. A `String` is sent as `text/plain; charset=utf-8`, whatever the encoder.
    public static let clientEncoder = RequestContentType(.clientEncoder)

    /// JSON, by the client's encoder if that makes JSON. A `String` becomes a JSON string.
    public static let json = RequestContentType(.json)

    /// A form (`application/x-www-form-urlencoded`) with the conventions of the client or the request: see ``QueryEncoding``. The value must
    /// be an object: a dictionary or a type with properties.
    public static let formURLEncoded = RequestContentType(.formURLEncoded)

    /// Uses the client's encoder with another media type: `.custom("application/vnd.api+json")`. A `String` is sent as UTF-8
    /// text, as with `.custom("text/csv")`, unless the media type is JSON.
    public static func custom(_ contentType: String) -> RequestContentType { RequestContentType(.custom(contentType)) }

    private func makeBody(_ value: (any Encodable & Sendable)?, _ encoder: any BodyEncoder) throws -> EncodedBody? {
        guard let name else { return try closure?(value, encoder) }
        guard let value else { return nil }
        if name == .formURLEncoded {
            let form = try QueryEncoding.Encoder.encode(object: value)
            return EncodedBody(HTTPBody(form), contentType: "application/x-www-form-urlencoded")
        }
        let isOther = name == .json && encoder.contentType != "application/json"
        let encoder: any BodyEncoder = isOther ? JSONEncoder() : encoder
        let type = if case .custom(let type) = name { type } else { encoder.contentType }
        return EncodedBody(HTTPBody(try encoder.encode(value)), contentType: type)
    }

    /// Returns the value of a form, to be encoded by the conventions of the request; nil for another type, and for `Data`.
    ///
    /// - Throws: as ``encode(_:by:)``.
    package func form(_ value: (any Encodable & Sendable)?) throws -> ParameterValue? {
        guard name == .formURLEncoded, let value, !(value is Data) else { return nil }
        do {
            try Self.checkIsolation(of: value)
            return try ParameterValue(object: value)
        } catch { throw NetworkError.encodingError(error) }
    }

    /// Encodes a value.
    ///
    /// - Throws: ``NetworkError/encodingError(_:)``, with an ``IsolatedEncodableError`` inside if the value must be encoded on another actor.
    package func encode(_ value: (any Encodable & Sendable)?, by encoder: any BodyEncoder) throws -> EncodedBody? {
        do {
            if let value { try Self.checkIsolation(of: value) }
            if let text = value as? String, let textType { return EncodedBody(HTTPBody(text), contentType: textType) }
            guard let data = value as? Data else { return try makeBody(value, encoder) }
            // `Data` is the body itself. Encoded, it would be base64 in quotes.
            let contentType = try makeBody(Empty(), encoder)?.contentType ?? "application/octet-stream"
            return EncodedBody(HTTPBody(data), contentType: contentType)
        } catch { throw NetworkError.encodingError(error) }
    }

    private static func checkIsolation(of value: any Encodable) throws {
        // If the cast fails, the conformance is isolated to another actor (SE-0470), which the compiler does not reject.
        if !((value as Any) is any Encodable) { throw IsolatedEncodableError() }
    }

    /// The media type of a text that is sent as it is; nil if the text is encoded.
    private var textType: String? {
        switch name {
        case .clientEncoder: "text/plain; charset=utf-8"
        case .custom(let type): MediaType(type)?.isJSON == true ? nil : type
        case .json, .formURLEncoded, nil: nil
        }
    }

    private struct Empty: Encodable {}
}

/// The value's conformance to `Encodable` is isolated to another actor. Runtimes before Swift 6.2 do not detect that.
package struct IsolatedEncodableError: SecretFreeError {
    package var description: String {
        "The value's conformance to Encodable belongs to another actor. Send it from there, or mark its type nonisolated."
    }
}

extension RequestContentType {
    /// A content type that can be encoded. One with a closure has no name.
    enum Name: Hashable, Sendable, RawRepresentable, Codable {
        case clientEncoder, json, formURLEncoded
        case custom(String)

        private static let customPrefix = "custom:"

        init?(rawValue: String) {
            switch rawValue {
            case "clientEncoder": self = .clientEncoder
            case "json": self = .json
            case "formURLEncoded": self = .formURLEncoded
            case _ where rawValue.hasPrefix(Self.customPrefix):
                self = .custom(String(rawValue.dropFirst(Self.customPrefix.count)))
            default: return nil
            }
        }

        var rawValue: String {
            switch self {
            case .clientEncoder: "clientEncoder"
            case .json: "json"
            case .formURLEncoded: "formURLEncoded"
            case .custom(let type): Self.customPrefix + type
            }
        }
    }
}

/// Encodes values as request bodies. JSON is the default; conform a property list, XML or Protobuf encoder to use it.
public protocol BodyEncoder: Sendable {
    /// The default `Content-Type` of the bytes.
    var contentType: String { get }

    /// Encodes a value. If it throws, the call fails with ``NetworkError/encodingError(_:)``.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

/// Decodes response bodies. JSON is the default.
public protocol BodyDecoder: Sendable {
    /// Decodes a value. If it throws, the call fails with ``NetworkError/decodingError(_:)``.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONEncoder: BodyEncoder { public var contentType: String { "application/json" } }
extension JSONDecoder: BodyDecoder {}
extension PropertyListEncoder: BodyEncoder { public var contentType: String { "application/x-plist" } }
extension PropertyListDecoder: BodyDecoder {}

extension BodyEncoder where Self == JSONEncoder {
    /// JSON with dates as numbers and unchanged names.
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
    /// JSON with dates as numbers and unchanged names.
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
