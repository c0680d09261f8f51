/// Encodes names and values as a URL query or a form (RFC 3986): everything but unreserved characters is percent-encoded.
///
/// A list repeats its name (`tag=a&tag=b`). A nested object has its path in brackets (`filter[age]=9`, with the brackets encoded).
/// Dates are ISO 8601, Booleans are `true` and `false`, and nil is omitted. Names are sorted, so equal parameters give equal URLs.
public enum QueryEncoder {
    /// Returns the query of the parameters, without the question mark.
    ///
    /// - Throws: `EncodingError` for a value that cannot be encoded, such as NaN.
    public static func encode(_ parameters: [String: any Encodable & Sendable]) throws -> String {
        encode(items: try items(of: parameters))
    }

    /// Returns the query of the items in their order. An item without a value is a name alone.
    public static func encode(items: [URLQueryItem]) -> String {
        items.map { item in
            item.value.map { "\(percentEncode(item.name))=\(percentEncode($0))" } ?? percentEncode(item.name)
        }
        .joined(separator: "&")
    }

    /// Returns the parameters as items that are not yet percent-encoded.
    public static func items(of parameters: [String: any Encodable & Sendable]) throws -> [URLQueryItem] {
        try parameters.sorted { $0.key < $1.key }.flatMap { name, value in
            items(name: name, value: try JSONValue(encoding: value))
        }
    }

    /// Percent-encodes everything but unreserved characters (RFC 3986, section 2.3), as UTF-8.
    public static func percentEncode(_ text: String) -> String { PercentEncoding.encode(text) }

    /// Returns the query of a value's properties, sorted by name.
    ///
    /// - Throws: `EncodingError` for a value that cannot be encoded or is not an object, such as a number or a list.
    public static func encode(object: any Encodable) throws -> String {
        encode(items: try items(ofObject: object))
    }

    /// Returns a value's properties as items that are not yet percent-encoded.
    package static func items(ofObject object: any Encodable) throws -> [URLQueryItem] {
        guard case .object(let members) = try JSONValue(encoding: object) else {
            throw EncodingError.invalidValue(
                object,
                .init(codingPath: [], debugDescription: "A query or form needs names: encode a dictionary or a struct.")
            )
        }
        return members.sorted { $0.key < $1.key }.flatMap { items(name: $0.key, value: $0.value) }
    }

    private static func items(name: String, value: JSONValue) -> [URLQueryItem] {
        switch value {
        case .null: []
        case .bool(let value): [URLQueryItem(name: name, value: value ? "true" : "false")]
        case .integer(let value): [URLQueryItem(name: name, value: String(value))]
        case .number(let value): [URLQueryItem(name: name, value: String(value))]
        case .decimal(let value): [URLQueryItem(name: name, value: "\(value)")]
        case .string(let value): [URLQueryItem(name: name, value: value)]
        case .array(let values): values.flatMap { items(name: name, value: $0) }
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { items(name: "\(name)[\($0.key)]", value: $0.value) }
        }
    }
}

/// Parameters of mixed types as one encodable value, for a query or a JSON object.
package struct Parameters: Sendable {
    package let values: [String: any Encodable & Sendable]

    package init(_ values: [String: any Encodable & Sendable]) {
        self.values = values
    }
}

extension Parameters: Codable {
    /// Decodes the values as ``JSONValue``, which encodes to the same JSON again.
    package init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    /// Encodes a dictionary: an encoder's key strategy is meant for properties of types, and leaves a dictionary's keys unchanged.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values.mapValues(Parameter.init))
    }

    private struct Parameter: Encodable {
        let value: any Encodable & Sendable

        /// Encodes through the container, so that the encoder sees the value's own type and applies its date and data strategies.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}
