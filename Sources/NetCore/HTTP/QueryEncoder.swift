/// Writes names and values as a URL query or a form, by RFC 3986: everything but unreserved characters is
/// percent-encoded, so that a `+`, `&`, `%`, space, emoji or slash in a value arrives as it was.
///
/// The shapes: a list repeats its name (`tag=a&tag=b`); a nested object has its path in brackets (`filter[age]=9`, with the
/// brackets encoded); a date is ISO 8601; true and false are words; nil is left out. Names are sorted, so that the same
/// parameters give the same URL.
public enum QueryEncoder {
    /// The query of these parameters, without the question mark.
    ///
    /// - Throws: `EncodingError` for a value that cannot be encoded, such as NaN.
    public static func encode(_ parameters: [String: any Encodable & Sendable]) throws -> String {
        encode(items: try items(of: parameters))
    }

    /// The query of these items, in their order. An item without a value is a name alone.
    public static func encode(items: [URLQueryItem]) -> String {
        items.map { item in
            item.value.map { "\(percentEncode(item.name))=\(percentEncode($0))" } ?? percentEncode(item.name)
        }
        .joined(separator: "&")
    }

    /// The parameters as items, not yet percent-encoded.
    public static func items(of parameters: [String: any Encodable & Sendable]) throws -> [URLQueryItem] {
        var items: [URLQueryItem] = []
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            items += Self.items(name: name, value: try JSONValue(encoding: value))
        }
        return items
    }

    /// Text with everything but unreserved characters (RFC 3986, section 2.3) percent-encoded as UTF-8.
    public static func percentEncode(_ text: String) -> String { PercentEncoding.encode(text) }

    /// The query of the properties of a value, sorted by name.
    ///
    /// - Throws: `EncodingError` for a value that cannot be encoded, or is not an object: a number, a list.
    public static func encode(object: any Encodable) throws -> String {
        encode(items: try items(ofObject: object))
    }

    /// The properties of a value as items, not yet percent-encoded.
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

/// Parameters of mixed types, as one value that can be encoded: a query or a JSON object.
package struct Parameters: Sendable {
    package let values: [String: any Encodable & Sendable]

    package init(_ values: [String: any Encodable & Sendable]) {
        self.values = values
    }
}

extension Parameters: Codable {
    /// Whatever was encoded comes back as ``JSONValue``, which encodes to the same JSON again.
    package init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    /// As a dictionary, whose keys an encoder's key strategy leaves alone: a name that was written as text is sent as it was
    /// written, and the strategy is for the properties of types.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values.mapValues(Parameter.init))
    }

    private struct Parameter: Encodable {
        let value: any Encodable & Sendable

        /// By the container, so that the encoder meets the value's own type: only then do its strategies for dates and data
        /// apply.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}
