public import NetCore

/// A date as HAR files have it: ISO 8601 with a zone, `2009-04-16T12:07:23.321Z`. Read and written so by any coder.
public struct ArchiveDate: Sendable, Hashable, Codable {
    /// The date.
    public var date: Date

    /// A date.
    public init(_ date: Date) {
        self.date = date
    }

    /// Reads a date, with or without fractions of a second.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = Self.date(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "No date in ISO 8601")
        }
        self.date = date
    }

    /// Writes milliseconds, in UTC.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(Self.style))
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Foundation's style takes three decimals or none; others write six.
    private static func date(_ text: String) -> Date? {
        guard let point = text.firstIndex(of: ".") else { return try? Date.ISO8601FormatStyle().parse(text) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        guard let fraction = Double("0.\(digits)"),
            let whole = try? Date.ISO8601FormatStyle().parse(String(text[..<point]) + text[digits.endIndex...])
        else { return nil }
        return whole.addingTimeInterval(fraction)
    }
}
