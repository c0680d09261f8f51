/// Turns the body of a successful response into a value. Write one for XML, CSV, or an envelope to be opened first.
///
/// ```swift
/// struct LinesSerializer: ResponseSerializer {
///     func serialize(_ data: Data, response: TransportResponse) throws -> [Substring] {
///         String(decoding: data, as: UTF8.self).split(separator: "\n")
///     }
/// }
/// ```
public protocol ResponseSerializer<Value>: Sendable {
    /// What it makes.
    associatedtype Value: Sendable

    /// The value.
    ///
    /// - Parameters:
    ///   - data: the whole body.
    ///   - response: the head: its status has been accepted already.
    /// - Throws: to fail the call; what is no ``NetworkError`` becomes ``NetworkError/decodingError(_:)``.
    func serialize(_ data: Data, response: TransportResponse) throws -> Value
}

/// Decodes the body with a ``BodyDecoder``. `Data` and `String` are given as they are, not decoded as JSON.
///
/// An optional type (`User?`) is nil for status 204, an empty body, and JSON's `null`.
public struct DecodableSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    private let decoder: any BodyDecoder

    /// A serialiser for a type.
    public init(_ type: Value.Type = Value.self, decoder: any BodyDecoder = .json) {
        self.decoder = decoder
    }

    /// The value.
    ///
    /// - Throws: ``NetworkError/noData`` if the body is empty and the type is not an optional, ``EmptyResponse``, `Data` or
    ///   `String`; ``NetworkError/decodingError(_:)``.
    public func serialize(_ data: Data, response: TransportResponse) throws -> Value {
        try decoder.value(Value.self, of: data, response: response)
    }
}

extension BodyDecoder {
    /// The value of a body, by the rules of ``DecodableSerializer``. It is decoded where this is called: on an actor that `Value`'s
    /// conformance belongs to, or anywhere for a conformance that belongs to none.
    package func value<Value: Decodable>(
        _ type: Value.Type, of data: Data, response: TransportResponse
    ) throws -> Value {
        // Before the casts below, which would make an optional of an empty value.
        if data.isEmpty || response.status == 204, let type = Value.self as? any AbsentValue.Type,
            let absent = type.absent as? Value
        {
            return absent
        }
        if let raw = data as? Value { return raw }
        if Value.self == String.self, let text = try StringSerializer().serialize(data, response: response) as? Value {
            return text
        }
        if let empty = EmptyResponse() as? Value { return empty }
        guard !data.isEmpty else { throw NetworkError.noData }
        do {
            return try decode(Value.self, from: data)
        } catch let error as DecodingError where self is JSONDecoder {
            throw NetworkError.decodingError(error.describing(data, of: response.headers["Content-Type"]))
        } catch {
            throw NetworkError.decodingError(error)
        }
    }
}

extension BodyDecoder {
    /// The value of a body, of a type of which only the run time knows that it can be decoded: as for one that is `Decodable`.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` for a type that is not `Decodable`, or whose conformance belongs to another actor.
    package func valueIfDecodable<Value>(
        _ type: Value.Type, of data: Data, response: TransportResponse
    ) throws -> Value {
        func value(as known: (some Decodable).Type) throws -> Value? {
            try self.value(known, of: data, response: response) as? Value
        }
        // An empty list of it stands for it: the run time tells of values, and not of types, whether a conformance belongs to another actor
        // (SE-0470; before Swift 6.2 it does not tell at all).
        guard ([Value]() as Any) is any Decodable, let known = Value.self as? any Decodable.Type,
            let value = try value(as: known)
        else {
            throw NetworkError.unsupported(
                "\(Value.self) cannot be decoded here. Conform it to Decodable, or, if it belongs to another actor, mark it nonisolated."
            )
        }
        return value
    }
}

/// A type that has a value for a response without a body.
private protocol AbsentValue {
    static var absent: Self { get }
}

extension Optional: AbsentValue {
    static var absent: Wrapped? { nil }
}

/// Takes any successful response, whatever its body.
public struct VoidSerializer: ResponseSerializer {
    /// A serialiser.
    public init() {}

    /// Nothing.
    public func serialize(_ data: Data, response: TransportResponse) throws {}
}

/// Gives the body as it is, empty or not.
public struct DataSerializer: ResponseSerializer {
    /// A serialiser.
    public init() {}

    /// The bytes.
    public func serialize(_ data: Data, response: TransportResponse) throws -> Data { data }
}

/// Gives the body as text, by the `charset` of its `Content-Type`: UTF-8 if there is none.
///
/// The name is looked up in IANA's registry, with its aliases and whatever its case: Unicode, ASCII, ISO-8859, Windows and IBM code pages,
/// KOI8, Shift_JIS, EUC-JP, ISO-2022-JP, GB2312, GBK, GB18030, Big5, EUC-KR, ISO-2022-KR, TIS-620.
public struct StringSerializer: ResponseSerializer {
    private let encoding: String.Encoding?

    /// A serialiser.
    ///
    /// - Parameter encoding: used whatever `Content-Type` says; nil to go by it.
    public init(encoding: String.Encoding? = nil) {
        self.encoding = encoding
    }

    /// The text.
    ///
    /// - Throws: ``NetworkError/decodingError(_:)`` if the bytes are not text in that encoding, with an ``UnknownCharset`` inside if the
    ///   `charset` is not known here.
    public func serialize(_ data: Data, response: TransportResponse) throws -> String {
        let name: String
        let text: String?
        if let encoding {
            (name, text) = ("\(encoding)", String(data: data, encoding: encoding))
        } else {
            do {
                let charset = try response.headers["Content-Type"].flatMap(Charset.init(contentType:)) ?? .utf8
                (name, text) = (charset.name, try charset.text(data))
            } catch {
                throw NetworkError.decodingError(error)
            }
        }
        guard let text else {
            throw NetworkError.decodingError(
                DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: "The body is not text in the encoding \(name).")))
        }
        return text
    }
}
