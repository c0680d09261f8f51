public import NetTransfer

/// A text in a path, a header field or a part of a form. Generated code interpolates parameters into it.
///
/// Numbers, Booleans, texts, `UUID`, and enumerations with such a raw value have a text. A raw value precedes a description.
public struct APIText: ExpressibleByStringInterpolation, Sendable {
    /// Nil if an interpolated value was nil.
    let text: String?

    public init(stringLiteral value: String) { text = value }

    public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Collects the pieces of a text.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text: String? = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { text?.append(literal) }

        @_disfavoredOverload
        public mutating func appendInterpolation<Value: LosslessStringConvertible>(_ value: Value?) {
            append(value?.description)
        }

        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value?)
        where Value.RawValue: LosslessStringConvertible {
            append(value?.rawValue.description)
        }

        public mutating func appendInterpolation(_ value: UUID?) { append(value?.uuidString) }

        private mutating func append(_ piece: String?) {
            guard let piece else { return text = nil }
            text?.append(piece)
        }
    }
}
