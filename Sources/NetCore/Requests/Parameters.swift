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
