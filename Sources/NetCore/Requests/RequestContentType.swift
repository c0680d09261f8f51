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
