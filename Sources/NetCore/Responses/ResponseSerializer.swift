/// Converts the body of a successful response to a value. Write one for XML, CSV, or an envelope.
///
/// ```swift
/// struct LinesSerializer: ResponseSerializer {
///     func serialize(_ data: Data, response: TransportResponse) throws -> [Substring] {
///         String(decoding: data, as: UTF8.self).split(separator: "\n")
///     }
/// }
/// ```
public protocol ResponseSerializer<Value>: Sendable {
    associatedtype Value: Sendable

    /// Returns the value of a body.
    ///
    /// - Parameters:
    ///   - data: the whole body.
    ///   - response: the head, whose status has been accepted.
    /// - Throws: an error to fail the call. An error other than ``NetworkError`` becomes ``NetworkError/decodingError(_:)``.
    func serialize(_ data: Data, response: TransportResponse) throws -> Value
}

/// Decodes the body with a ``BodyDecoder``. `Data` and `String` are returned directly, and not decoded as JSON.
///
/// An optional type (`User?`) is nil for status 204, an empty body, and JSON's `null`.
public struct DecodableSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    private let decoder: any BodyDecoder
    private let keyPath: String?

    /// - Parameters:
    ///   - type: the type to decode.
    ///   - decoder: decodes the body.
    ///   - keyPath: the path to the value in the body, or nil for the path of the request: see ``RequestOptions/responseKeyPath``.
    public init(_ type: Value.Type = Value.self, decoder: any BodyDecoder = .json, keyPath: String? = nil) {
        self.decoder = decoder
        self.keyPath = keyPath
    }

    /// Returns the decoded value.
    ///
    /// - Throws: ``NetworkError/noData`` if the body is empty and the type is not an optional, ``EmptyResponse``, `Data` or
    ///   `String`; ``NetworkError/decodingError(_:)``.
    public func serialize(_ data: Data, response: TransportResponse) throws -> Value {
        try decoder.value(Value.self, of: data, response: response, keyPath: keyPath)
    }
}

extension BodyDecoder {
    /// Decodes a body by the rules of ``DecodableSerializer`` in the caller's isolation, so that `Value`'s conformance may be isolated to that actor.
    ///
    /// - Parameter keyPath: the path to the value, or nil for the path of the request.
    package func value<Value: Decodable>(
        _ type: Value.Type, of data: Data, response: TransportResponse, keyPath: String? = nil
    ) throws -> Value {
        let path = ResponseKeyPath(keyPath ?? response.pipeline.keyPath ?? "")
        // Must come before the casts below, which would wrap an empty value in an optional.
        if data.isEmpty || response.status == 204, let type = Value.self as? any AbsentValue.Type,
            let absent = type.absent as? Value
        {
            return absent
        }
        if path.components.isEmpty {
            if let raw = data as? Value { return raw }
            if Value.self == String.self,
                let text = try StringSerializer().serialize(data, response: response) as? Value
            {
                return text
            }
        }
        if let empty = EmptyResponse() as? Value { return empty }
        guard !data.isEmpty else { throw NetworkError.noData }
        do {
            return try path.components.isEmpty
                ? decode(Value.self, from: data) : decode(Value.self, at: path, from: data)
        } catch let error as DecodingError where self is JSONDecoder {
            throw NetworkError.decodingError(error.describing(data, of: response.headers["Content-Type"]))
        } catch { throw NetworkError.decodingError(error) }
    }

    /// Decodes a body as a type that may conform to `Decodable` at run time.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` for a type that does not, or whose conformance is isolated to another actor.
    package func valueIfDecodable<Value>(
        _ type: Value.Type, of data: Data, response: TransportResponse
    ) throws -> Value {
        func value(as known: (some Decodable).Type) throws -> Value? {
            try self.value(known, of: data, response: response) as? Value
        }
        // The runtime can tell only from a value whether a conformance is isolated to another actor (SE-0470; before Swift 6.2 it cannot at
        // all). An empty array serves as that value.
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

/// A type with a value for a response without a body.
private protocol AbsentValue { static var absent: Self { get } }

extension Optional: AbsentValue { static var absent: Wrapped? { nil } }

/// Accepts any successful response, and ignores its body.
public struct VoidSerializer: ResponseSerializer {
    public init() {}

    public func serialize(_ data: Data, response: TransportResponse) throws {}
}

/// Returns the body unchanged, even if it is empty.
public struct DataSerializer: ResponseSerializer {
    public init() {}

    public func serialize(_ data: Data, response: TransportResponse) throws -> Data { data }
}

/// Returns the body as text in the `charset` of its `Content-Type`, or in UTF-8 if there is none.
///
/// It supports names and aliases of IANA's registry in any case: Unicode, ASCII, ISO-8859, Windows and IBM code pages, KOI8, Shift_JIS,
/// EUC-JP, ISO-2022-JP, GB2312, GBK, GB18030, Big5, EUC-KR, ISO-2022-KR, TIS-620.
public struct StringSerializer: ResponseSerializer {
    private let encoding: String.Encoding?

    /// - Parameter encoding: the encoding to use instead of that in `Content-Type`, or nil.
    public init(encoding: String.Encoding? = nil) { self.encoding = encoding }

    /// Returns the text.
    ///
    /// - Throws: ``NetworkError/decodingError(_:)`` if the bytes are invalid in that encoding, with a ``StringSerializer/UnknownCharset``
    ///   inside if the `charset` is unknown.
    public func serialize(_ data: Data, response: TransportResponse) throws -> String {
        let name: String
        let text: String?
        if let encoding {
            (name, text) = ("\(encoding)", String(data: data, encoding: encoding))
        } else {
            do {
                let charset = try response.headers["Content-Type"].flatMap(Charset.init(contentType:)) ?? .utf8
                (name, text) = (charset.name, try charset.text(data))
            } catch { throw NetworkError.decodingError(error) }
        }
        guard let text else {
            throw NetworkError.decodingError(
                DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: "The body is not text in the encoding \(name).")))
        }
        return text
    }
}
