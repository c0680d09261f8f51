/// Any JSON value (RFC 8259): for parameters whose types differ from key to key, and for replies that have no model.
///
/// ```swift
/// let body: [String: JSONValue] = ["name": "Leia", "age": 19, "tags": ["pilot", "senator"], "ship": nil]
/// ```
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number that fits 64 bits.
    case integer(Int64)
    /// Any other number that a double-precision number holds.
    case number(Double)
    /// A number with more digits than the other two hold: an identifier above 2⁶³, an amount of money.
    case decimal(Decimal)
    /// A string.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// The value at a key of an object; nil for anything else.
    public subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The element of a list; nil for anything else, or beyond its end.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// The string, if it is one.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The whole number, if it is one.
    public var intValue: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }
    /// The number, if it is one, as near as a double-precision number comes.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }
    /// The truth value, if it is one.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The JSON value that an encodable value turns into, dates as ISO 8601.
    ///
    /// - Throws: `EncodingError` if JSON cannot hold it (NaN, infinity).
    public init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Self.encoder.encode(value))
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()
}

extension JSONValue: Codable {
    /// Reads any JSON value.
    ///
    /// - Throws: `DecodingError`; also for a number beyond what 64 bits of either kind hold, and for nesting beyond the
    ///   decoder's limit (512 levels with `JSONDecoder`).
    public init(from decoder: any Decoder) throws {
        // Lists and objects first: each wrong guess makes an error that costs as much as the value is deep, and five of
        // them a level let a reply of one kilobyte take seconds.
        if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
            self = .array(values)
        } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
            // As a dictionary, whose keys a decoder's key strategy leaves alone.
            self = .object(try decoder.singleValueContainer().decode([String: JSONValue].self))
        } else {
            try self.init(scalarIn: decoder.singleValueContainer())
        }
    }

    private init(scalarIn container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self), Self.isExact(value, in: container) {
            self = .integer(value)
        } else {
            let value = try container.decode(Double.self)
            self = Self.number(value, exactly: try? container.decode(Decimal.self))
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Foundation reads 12345678901234567.89 as a whole number, since the nearest double-precision number is one.
    private static func isExact(_ value: Int64, in container: any SingleValueDecodingContainer) -> Bool {
        guard value.magnitude >= 1 << 53, let exact = try? container.decode(Decimal.self) else { return true }
        return exact == Decimal(value)
    }

    private static func number(_ value: Double, exactly decimal: Decimal?) -> JSONValue {
        guard let decimal, decimal != Decimal(string: "\(value)") else { return .number(value) }
        return .decimal(decimal)
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of several members with the same key the last one stands.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
