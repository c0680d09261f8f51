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
            return try decoder.decode(Value.self, from: data)
        } catch let error as DecodingError where decoder is JSONDecoder {
            throw NetworkError.decodingError(error.describing(data, of: response))
        } catch {
            throw NetworkError.decodingError(error)
        }
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
    /// - Throws: ``NetworkError/decodingError(_:)`` if the bytes are not text in that encoding.
    public func serialize(_ data: Data, response: TransportResponse) throws -> String {
        let encoding = encoding ?? response.headers["Content-Type"].flatMap(Self.encoding(ofContentType:)) ?? .utf8
        guard let text = String(data: data, encoding: encoding) else {
            throw NetworkError.decodingError(
                DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: "The body is not text in the encoding \(encoding).")))
        }
        return text
    }

    private static func encoding(ofContentType contentType: String) -> String.Encoding? {
        for parameter in contentType.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingHTTPWhitespace.lowercased() == "charset" else { continue }
            switch pair[1].trimmingHTTPWhitespace.filter({ $0 != "\"" }).lowercased() {
            case "utf-8", "utf8": return .utf8
            case "us-ascii", "ascii": return .ascii
            case "iso-8859-1", "latin1": return .isoLatin1
            case "iso-8859-2", "latin2": return .isoLatin2
            case "windows-1250": return .windowsCP1250
            case "windows-1251": return .windowsCP1251
            case "windows-1252": return .windowsCP1252
            case "utf-16": return .utf16
            case "utf-16le": return .utf16LittleEndian
            case "utf-16be": return .utf16BigEndian
            default: return nil
            }
        }
        return nil
    }
}
