/// A value of a query or a form, before the conventions of a server apply: like ``JSONValue``, with dates and data.
package enum ParameterValue: Sendable {
    /// A value without members. A `number` keeps that it was not an integer.
    case scalar(JSONValue)
    case date(Date)
    case data(Data)
    case array([ParameterValue])
    case object([String: ParameterValue])

    /// Encodes any value.
    ///
    /// - Throws: `EncodingError` for a value that cannot be encoded, such as NaN.
    package init(encoding value: any Encodable) throws { self = try ParameterEncoder.encode(value) }

    /// Encodes named values.
    ///
    /// - Throws: `EncodingError`, whose path begins with the name of the value.
    package static func members(_ values: [String: any Encodable & Sendable]) throws -> [String: ParameterValue] {
        var members = [String: ParameterValue](minimumCapacity: values.count)
        for (name, value) in values { members[name] = try ParameterEncoder.encode(value, named: name) }
        return members
    }

    /// Encodes a value with properties.
    ///
    /// - Throws: `EncodingError` for a value that is not an object, such as a number or a list.
    package init(object: any Encodable) throws {
        try self.init(encoding: object)
        guard case .object = self else {
            throw EncodingError.invalid(object, "A query or form needs names: encode a dictionary or a struct.")
        }
    }

    /// - Parameter path: the place of the value, for errors.
    init(json: JSONValue, path: @autoclosure () -> [any CodingKey] = []) throws {
        switch json {
        case .array(let elements):
            self = .array(
                try elements.enumerated().map { index, element in
                    try Self(json: element, path: path() + [AnyKey(intValue: index)])
                })
        case .object(let values):
            var members = [String: ParameterValue](minimumCapacity: values.count)
            for (name, value) in values {
                members[name] = try Self(json: value, path: path() + [AnyKey(stringValue: name)])
            }
            self = .object(members)
        case .number(let value): try self.init(number: value, path: path())
        // The nearest of the cases for numbers.
        case .decimal(let value): self = .scalar(try JSONValue(encoding: value))
        case .null, .bool, .integer, .string: self = .scalar(json)
        }
    }

    /// - Throws: `EncodingError` for NaN and infinity.
    private init(number value: Double, path: @autoclosure () -> [any CodingKey]) throws {
        guard value.isFinite else {
            throw EncodingError.invalid(value, at: path(), "NaN and infinity cannot be encoded.")
        }
        self = .scalar(.number(value))
    }

    /// Takes a value over that needs no encoder; nil for other values.
    init?(known value: any Encodable, path: @autoclosure () -> [any CodingKey]) throws {
        switch value {
        case let value as String: self = .scalar(.string(value))
        case let value as Bool: self = .scalar(.bool(value))
        case let value as any FixedWidthInteger:
            if let integer = Int64(exactly: value) {
                self = .scalar(.integer(integer))
            } else {
                let text = String(describing: value)
                let decimal = Decimal(string: text)
                self = .scalar(decimal.flatMap { "\($0)" == text ? .decimal($0) : nil } ?? .string(text))
            }
        case let value as Double: try self.init(number: value, path: path())
        // By its text: 0.1 stays 0.1.
        case let value as Float: try self.init(number: Double(value.description) ?? Double(value), path: path())
        case let value as Date:
            let seconds = value.timeIntervalSinceReferenceDate
            guard seconds.isFinite else {
                // Not the date itself: its description traps on Linux.
                throw EncodingError.invalid(seconds, at: path(), "A date needs a finite time.")
            }
            self = .date(value)
        case let value as Data: self = .data(value)
        case let value as URL: self = .scalar(.string(value.absoluteString))
        case let value as Decimal: try self.init(json: .decimal(value), path: path())
        case let value as JSONValue: try self.init(json: value, path: path())
        case let value as ParameterValue: self = value
        default: return nil
        }
    }
}

extension ParameterValue: Encodable {
    /// The names of objects with one member that stand for values which JSON lacks.
    private enum Mark: String {
        case date = "$date"
        case data = "$data"
        /// A `Double` that is a whole number.
        case double = "$double"
        /// An object with one member whose name begins with `$`.
        case object = "$object"
    }

    /// Reads what ``stored`` returns, and any other JSON value.
    package init(stored json: JSONValue) throws {
        switch json {
        case .array(let elements): self = .array(try elements.map(Self.init(stored:)))
        case .object(let members):
            let marked = members.count == 1 ? try members.first.flatMap { try Self(mark: $0.key, $0.value) } : nil
            self = try marked ?? .object(members.mapValues(Self.init(stored:)))
        default: try self.init(json: json)
        }
    }

    private init?(mark: String, _ value: JSONValue) throws {
        switch (Mark(rawValue: mark), value, value.doubleValue) {
        case (.date?, _, let seconds?): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.double?, _, let value?): self = .scalar(.number(value))
        case (.data?, .string(let text), _): self = .data(Data(base64Encoded: text) ?? Data())
        case (.object?, .object(let members), _): self = .object(try members.mapValues(Self.init(stored:)))
        default: return nil
        }
    }

    /// The value as JSON from which it can be read again.
    package var stored: JSONValue {
        switch self {
        case .scalar(.number(let value)) where value == value.rounded(): [Mark.double.rawValue: .number(value)]
        case .scalar(let value): value
        case .date(let value): [Mark.date.rawValue: .number(value.timeIntervalSinceReferenceDate)]
        case .data(let value): [Mark.data.rawValue: .string(value.base64EncodedString())]
        case .array(let elements): .array(elements.map(\.stored))
        case .object(let members):
            members.count == 1 && members.first?.key.first == "$"
                ? [Mark.object.rawValue: .object(members.mapValues(\.stored))] : .object(members.mapValues(\.stored))
        }
    }

    /// The value as a parameter: a ``JSONValue`` if that holds it.
    package var parameter: any Encodable & Sendable {
        switch self {
        case .date(let value): value
        case .data(let value): value
        default: json ?? self
        }
    }

    private var json: JSONValue? {
        switch self {
        case .scalar(let value): return value
        case .array(let elements):
            let values = elements.compactMap(\.json)
            return values.count == elements.count ? .array(values) : nil
        case .object(let members):
            let values = members.compactMapValues(\.json)
            return values.count == members.count ? .object(values) : nil
        case .date, .data: return nil
        }
    }

    /// Encodes the value for another encoder, whose strategies for dates and data apply.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .scalar(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension EncodingError {
    static func invalid(_ value: Any, at path: [any CodingKey] = [], _ description: String) -> EncodingError {
        .invalidValue(value, Context(codingPath: path, debugDescription: description))
    }
}
