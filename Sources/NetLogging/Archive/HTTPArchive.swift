public import NetCore

/// A HAR file: recorded traffic in the format that browsers and proxies read and write (HAR 1.2).
///
/// It is read and written by `Codable`. Reading takes what others write: what is optional there may be missing. Fields of one's own begin with
/// an underscore; those of this SDK are kept, those of others are not.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: url)
/// for entry in archive.log.entries { print(entry.request.method, entry.request.url, entry.response.status) }
/// ```
public struct HTTPArchive: Sendable, Hashable, Codable {
    /// All of it.
    public var log: Log

    package init(log: Log) {
        self.log = log
    }

    /// An archive of these entries, made by this SDK.
    public init(entries: [Entry] = []) {
        self.init(log: Log(entries: entries))
    }

    /// Reads a HAR file.
    ///
    /// - Throws: `DecodingError` for what is none, and what reading the file throws.
    public init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(HTTPArchive.self, from: Data(contentsOf: url))
    }

    /// The archive as JSON, with its keys sorted.
    ///
    /// - Throws: `EncodingError` where a number is not one.
    public func jsonData() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Writes a file that only this user can read (0600), whole or not at all, in place of an older one. The file behind a symbolic
    /// link is replaced, and the link stays. A device, a named pipe, a socket and a folder are refused.
    ///
    /// - Throws: ``LogFileError``, or what ``jsonData()`` throws.
    public func write(to url: URL) throws {
        try LogFileError.write(jsonData(), to: url)
    }

    /// The root.
    public struct Log: Sendable, Hashable, Codable {
        /// `"1.2"`.
        public var version: String
        /// Who wrote it.
        public var creator: Creator
        /// What was recorded, in the order in which it began.
        public var entries: [Entry]
        /// For readers.
        public var comment: String?

        package init(
            version: String = "1.2", creator: Creator = .networking, entries: [Entry] = [], comment: String? = nil
        ) {
            self.version = version
            self.creator = creator
            self.entries = entries
            self.comment = comment
        }
    }

    /// A program and its version.
    public struct Creator: Sendable, Hashable, Codable {
        /// The program.
        public var name: String
        /// Its version.
        public var version: String

        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }

        /// This SDK.
        public static let networking = Creator(name: "Networking", version: "0.1.0")
    }
}

/// A date as HAR files have it: ISO 8601 with a zone, `2009-04-16T12:07:23.321Z`. Read and written so by any coder.
struct ArchiveDate: Sendable, Hashable, Codable {
    /// The date.
    var date: Date

    /// A date.
    init(_ date: Date) {
        self.date = date
    }

    /// Reads a date, with or without fractions of a second.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = Self.date(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "No date in ISO 8601")
        }
        self.date = date
    }

    /// Writes milliseconds, in UTC.
    func encode(to encoder: any Encoder) throws {
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
