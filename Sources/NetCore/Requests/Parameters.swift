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

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in values {
            try Self.encode(value, forKey: Key(stringValue: name), in: &container)
        }
    }

    /// Generic, so that the encoder meets the value's own type: only then do its strategies for dates and data apply.
    private static func encode<Value: Encodable>(
        _ value: Value, forKey key: Key, in container: inout KeyedEncodingContainer<Key>
    ) throws {
        try container.encode(value, forKey: key)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
