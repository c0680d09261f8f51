/// How the body of a request is made from a value, and what its `Content-Type` says (seed 001).
///
/// `Data` is sent as it is, whatever the type.
///
/// ```swift
/// let request = Request<User>(method: .post, path: "/login", body: ["name": "Leia"], contentType: .formURLEncoded)
/// ```
public struct RequestContentType: Sendable {
    private let makeBody: @Sendable ((any Encodable & Sendable)?, any BodyEncoder) throws -> EncodedBody?
    /// Nil for a type of the caller's own.
    let name: Name?

    /// A body and its media type.
    public struct EncodedBody: Sendable {
        /// The body.
        public var body: HTTPBody
        /// For the header `Content-Type`, unless the request has one.
        public var contentType: String

        /// A body of a type.
        public init(_ body: HTTPBody, contentType: String) {
            self.body = body
            self.contentType = contentType
        }
    }

    /// A type of your own.
    ///
    /// - Parameter makeBody: gets the request's value, if it has one, and the client's encoder; gives nil for no body. What it
    ///   throws fails the request with ``NetworkError/encodingError(_:)``.
    public init(
        makeBody:
            @escaping @Sendable (_ value: (any Encodable & Sendable)?, _ encoder: any BodyEncoder) throws ->
            EncodedBody?
    ) {
        self.makeBody = makeBody
        name = nil
    }

    private init(
        _ name: Name,
        makeBody: @escaping @Sendable ((any Encodable & Sendable)?, any BodyEncoder) throws -> EncodedBody?
    ) {
        self.makeBody = makeBody
        self.name = name
    }

    /// As the client's encoder makes it: JSON, unless the client has another.
    public static let clientEncoder = RequestContentType(.clientEncoder) { value, encoder in
        try value.map { EncodedBody(HTTPBody(try encoder.encode($0)), contentType: encoder.contentType) }
    }

    /// JSON: by the client's encoder if that makes JSON, else plain.
    public static let json = RequestContentType(.json) { value, encoder in
        let encoder: any BodyEncoder = encoder.contentType == "application/json" ? encoder : JSONEncoder()
        return try value.map { EncodedBody(HTTPBody(try encoder.encode($0)), contentType: encoder.contentType) }
    }

    /// A form (`application/x-www-form-urlencoded`), with lists and nested values as ``QueryEncoder`` writes them. The value has
    /// to be an object: a dictionary, or a type with properties.
    public static let formURLEncoded = RequestContentType(.formURLEncoded) { value, _ in
        try value.map {
            EncodedBody(HTTPBody(try QueryEncoder.encode(object: $0)), contentType: "application/x-www-form-urlencoded")
        }
    }

    /// As the client's encoder makes it, under another name: `.custom("application/vnd.api+json")`.
    public static func custom(_ contentType: String) -> RequestContentType {
        RequestContentType(.custom(contentType)) { value, encoder in
            try value.map { EncodedBody(HTTPBody(try encoder.encode($0)), contentType: contentType) }
        }
    }

    /// The body of a value.
    ///
    /// - Throws: ``NetworkError/encodingError(_:)``, with an ``EncodableOfAnotherActor`` inside if the value has to be encoded on another
    ///   actor.
    package func encode(_ value: (any Encodable & Sendable)?, by encoder: any BodyEncoder) throws -> EncodedBody? {
        do {
            // An `Encodable` that the run time does not know as one here has a conformance that belongs to another actor (SE-0470). The
            // compiler lets it become an `any Encodable & Sendable` all the same.
            if let value, !((value as Any) is any Encodable) { throw EncodableOfAnotherActor() }
            guard let data = value as? Data else { return try makeBody(value, encoder) }
            // Its bytes are the body; made from something that can be encoded, they would be base64 in quotes.
            let contentType = try makeBody(Empty(), encoder)?.contentType ?? "application/octet-stream"
            return EncodedBody(HTTPBody(data), contentType: contentType)
        } catch {
            throw NetworkError.encodingError(error)
        }
    }

    private struct Empty: Encodable {}
}

/// A value's conformance to `Encodable` belongs to an actor that this is not. Run times before Swift 6.2 do not tell.
package struct EncodableOfAnotherActor: Error, SecretFreeError {
    package init() {}

    package var description: String {
        "The value's conformance to Encodable belongs to another actor. Send it from there, or mark its type nonisolated."
    }
}

extension RequestContentType {
    /// A content type that can be written down; one made with a closure has none.
    enum Name: Hashable, Sendable {
        case clientEncoder
        case json
        case formURLEncoded
        case custom(String)
    }
}

extension RequestContentType.Name: Codable {
    private static let customPrefix = "custom:"

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        switch text {
        case "clientEncoder": self = .clientEncoder
        case "json": self = .json
        case "formURLEncoded": self = .formURLEncoded
        case _ where text.hasPrefix(Self.customPrefix): self = .custom(String(text.dropFirst(Self.customPrefix.count)))
        default:
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "There is no request content type of this name.")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .clientEncoder: try container.encode("clientEncoder")
        case .json: try container.encode("json")
        case .formURLEncoded: try container.encode("formURLEncoded")
        case .custom(let type): try container.encode(Self.customPrefix + type)
        }
    }

    /// The content type of this name.
    var contentType: RequestContentType {
        switch self {
        case .clientEncoder: .clientEncoder
        case .json: .json
        case .formURLEncoded: .formURLEncoded
        case .custom(let type): .custom(type)
        }
    }
}

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
