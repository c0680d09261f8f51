/// Any JSON value (RFC 8259): for parameters of mixed types, and for responses without a model.
///
/// ```swift
/// let body: [String: JSONValue] = ["name": "Leia", "age": 19, "tags": ["pilot", "senator"], "ship": nil]
/// ```
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A whole number that fits in 64 bits.
    case integer(Int64)
    /// Any other number that a `Double` holds.
    case number(Double)
    /// A number with more digits than the other two cases hold, such as an identifier above 2⁶³ or an amount of money.
    case decimal(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value of an object's member, or nil if there is none or this is not an object.
    public subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }

    /// The element of an array, or nil if the index is out of bounds or this is not an array.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// The string, or nil if this is not a string.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The whole number, or nil if this is not a whole number.
    public var intValue: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }
    /// The nearest `Double`, or nil if this is not a number.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }
    /// The Boolean value, or nil if this is not a Boolean.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// Encodes a value, with dates as ISO 8601.
    ///
    /// - Throws: `EncodingError` for a value that JSON cannot hold (NaN, infinity).
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
    /// Decodes any JSON value.
    ///
    /// - Throws: `DecodingError`, also for a number that neither 64-bit type holds and for nesting beyond the decoder's limit (512 levels
    ///   with `JSONDecoder`).
    public init(from decoder: any Decoder) throws {
        // Arrays and objects first: each wrong attempt creates an error that costs more with the depth. Five per level took seconds for 1 KB.
        if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
            self = .array(values)
        } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
            // A decoder's key strategy leaves a dictionary's keys unchanged.
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
            let exact = try? container.decode(Decimal.self)
            self = if let exact, exact != Decimal(string: "\(value)") { .decimal(exact) } else { .number(value) }
        }
    }

    /// Whether the value is exact: Foundation decodes 12345678901234567.89 as a whole number, because the nearest `Double` is one.
    private static func isExact(_ value: Int64, in container: any SingleValueDecodingContainer) -> Bool {
        guard value.magnitude >= 1 << 53, let exact = try? container.decode(Decimal.self) else { return true }
        return exact == Decimal(value)
    }

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
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. If a key is repeated, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

/// A key of any name, or an index as Foundation's encoders have it.
package struct AnyKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}
