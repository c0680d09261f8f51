extension QueryEncoding {
    /// Encodes names and values as a URL query or a form (RFC 3986): everything but unreserved characters is percent-encoded.
    ///
    /// By default a list repeats its name (`tag=a&tag=b`), and a nested object has its path in brackets (`filter[age]=9`, with the brackets encoded).
    /// Dates are ISO 8601, Booleans are `true` and `false`, and nil is omitted. Names are sorted, so equal parameters give equal URLs.
    /// ``QueryEncoding`` has the other conventions.
    public enum Encoder {
        /// Returns the query of the parameters, without the question mark.
        ///
        /// - Throws: `EncodingError` for a value that cannot be encoded, such as NaN.
        public static func encode(
            _ parameters: [String: any Encodable & Sendable], as encoding: QueryEncoding = .default
        ) throws -> String {
            try encode(.object(ParameterValue.members(parameters)), as: encoding)
        }

        /// Returns the query of the items in their order. An item without a value is a name alone.
        public static func encode(items: [URLQueryItem], as encoding: QueryEncoding = .default) -> String {
            items.map { QueryPair(name: $0.name, values: $0.value.map { [$0] }).text(encoding) }.joined(separator: "&")
        }

        /// Returns the parameters as items that are not yet percent-encoded.
        public static func items(of parameters: [String: any Encodable & Sendable]) throws -> [URLQueryItem] {
            try QueryWriter(.default).pairs(ParameterValue.members(parameters), at: nil)
                .map { URLQueryItem(name: $0.name, value: $0.values?.first) }
        }

        /// Returns the query of a value's properties, sorted by name.
        ///
        /// - Throws: `EncodingError` for a value that cannot be encoded or is not an object, such as a number or a list.
        public static func encode(object: any Encodable, as encoding: QueryEncoding = .default) throws -> String {
            try encode(ParameterValue(object: object), as: encoding)
        }

        /// Returns the query of an object. Other values have no names, and give an empty query.
        package static func encode(_ value: ParameterValue, as encoding: QueryEncoding) throws -> String {
            guard case .object(let members) = value else { return "" }
            return try QueryWriter(encoding).pairs(members, at: nil).map { $0.text(encoding) }.joined(separator: "&")
        }
    }
}

/// A name and its value, not yet percent-encoded.
private struct QueryPair {
    let name: String
    /// The elements of a comma-separated list, or one value. Nil for a name alone.
    let values: [String]?

    func text(_ encoding: QueryEncoding) -> String {
        func encode(_ text: String) -> String {
            PercentEncoding.encode(text, keepsSlashes: !encoding.encodesSlashes, plusForSpace: encoding.spaces == .plus)
        }
        guard let values else { return encode(name) }
        return "\(encode(name))=\(values.map(encode).joined(separator: ","))"
    }
}

/// Lists the pairs of parameters by the conventions of a ``QueryEncoding``.
private struct QueryWriter {
    let encoding: QueryEncoding
    private var formatter: DateFormatter?

    init(_ encoding: QueryEncoding) {
        self.encoding = encoding
        guard case .formatted(let format) = encoding.dates else { return }
        let formatter = DateFormatter()
        formatter.calendar = Calendar(identifier: .gregorian)
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        self.formatter = formatter
    }

    /// Returns the pairs of an object's members; nil for those of the query itself.
    func pairs(_ members: [String: ParameterValue], at path: String?) throws -> [QueryPair] {
        let named = members.map { (name: encoding.keys.name($0.key), key: $0.key, value: $0.value) }
            .sorted { ($0.name, $0.key) < ($1.name, $1.key) }
        return sorted(
            try named.map { member in
                let name =
                    switch (path, encoding.nesting) {
                    case (nil, _): member.name
                    case (let path?, .brackets): "\(path)[\(member.name)]"
                    case (let path?, .dots): "\(path).\(member.name)"
                    }
                return try pairs(member.value, named: name)
            })
    }

    private func pairs(_ value: ParameterValue, named name: String) throws -> [QueryPair] {
        switch value {
        case .object(let members): return try pairs(members, at: name)
        case .array(let all):
            let elements = all.filter { if case .scalar(.null) = $0 { encoding.nilValues != .omitted } else { true } }
            if encoding.arrays == .commaSeparated {
                return elements.isEmpty
                    ? [] : [QueryPair(name: name, values: try elements.map { try element($0, of: name) })]
            }
            return sorted(
                try elements.enumerated().map { index, element in
                    let name =
                        switch encoding.arrays {
                        case .repeated, .commaSeparated: name
                        case .brackets: "\(name)[]"
                        case .indices: "\(name)[\(index)]"
                        }
                    return try pairs(element, named: name)
                })
        case .scalar(.null) where encoding.nilValues == .omitted: return []
        case .scalar(.null) where encoding.nilValues == .nameOnly: return [QueryPair(name: name, values: nil)]
        default: return [QueryPair(name: name, values: [try text(of: value) ?? ""])]
        }
    }

    private func sorted(_ groups: [[QueryPair]]) -> [QueryPair] {
        guard encoding.sorting == .pairs else { return groups.flatMap(\.self) }
        return groups.filter { !$0.isEmpty }
            .map { group in (text: group.map { $0.text(encoding) }.joined(separator: "&"), group) }
            .sorted { $0.text < $1.text }.flatMap(\.1)
    }

    private func element(_ value: ParameterValue, of name: String) throws -> String {
        if let text = try text(of: value) { return text }
        throw EncodingError.invalid(
            value, at: [AnyKey(stringValue: name)],
            "A comma-separated list cannot hold lists or objects. Set another QueryEncoding.arrays for this request.")
    }

    /// Returns the text of a value without members.
    private func text(of value: ParameterValue) throws -> String? {
        switch value {
        case .scalar(.null): encoding.nilValues == .null ? "null" : ""
        case .scalar(.bool(let value)): encoding.booleans == .literal ? (value ? "true" : "false") : value ? "1" : "0"
        case .scalar(.integer(let value)): String(value)
        case .scalar(.number(let value)): try text(of: value)
        case .scalar(.decimal(let value)): "\(value)"
        case .scalar(.string(let value)): value
        case .date(let date): try text(of: date)
        case .data(let data):
            switch encoding.data {
            case .base64: data.base64EncodedString()
            case .base64URL: data.base64URL
            case .hex: data.hexadecimal
            }
        case .scalar, .array, .object: nil
        }
    }

    private func text(of date: Date) throws -> String {
        switch encoding.dates {
        case .iso8601: date.formatted(.iso8601)
        case .secondsSince1970: try text(of: date.timeIntervalSince1970)
        case .millisecondsSince1970: try text(of: date.timeIntervalSince1970 * 1000)
        case .secondsSinceReferenceDate: try text(of: date.timeIntervalSinceReferenceDate)
        case .formatted: formatter?.string(from: date) ?? ""
        }
    }

    private func text(of number: Double) throws -> String {
        guard encoding.wholeNumbers == .integer, number == number.rounded() else { return String(number) }
        if number.magnitude < 0x1p53 { return String(Int64(number)) }
        // As JSON has it: exact, or with an exponent.
        if case .integer(let integer) = try JSONValue(encoding: number) { return String(integer) }
        return String(number)
    }
}

extension QueryEncoding.KeyCase {
    fileprivate func name(_ key: String) -> String {
        switch self {
        case .unchanged: key
        case .snakeCase: words(of: key, separator: "_")
        case .kebabCase: words(of: key, separator: "-")
        case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
        case .uppercased: key.uppercased()
        case .lowercased: key.lowercased()
        }
    }

    /// A word begins at the first capital letter after others, and at the last one of several before a lowercase letter, as for
    /// `JSONEncoder.KeyEncodingStrategy.convertToSnakeCase`.
    private func words(of key: String, separator: String) -> String {
        var words: [String] = []
        var word = ""
        // The number of letters since the first capital of the word, with it.
        var run = 0
        for letter in key {
            if letter.isUppercase, run == 0, !word.isEmpty {
                words.append(word)
                word = ""
                run = 1
            } else if letter.isLowercase {
                if run > 1, let start = word.popLast() {
                    words.append(word)
                    word = String(start)
                }
                run = 0
            } else if run > 0 {
                run += 1
            }
            word.append(letter)
        }
        return (words + [word]).joined(separator: separator).lowercased()
    }
}

/// Parameters of mixed types as one encodable value, for a query or a JSON object.
package struct Parameters: Encodable, Sendable {
    package let values: [String: any Encodable & Sendable]

    package init(_ values: [String: any Encodable & Sendable]) { self.values = values }

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
