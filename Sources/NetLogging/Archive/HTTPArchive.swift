public import NetCore

/// A HAR file: recorded traffic in the format of browsers and proxies (HAR 1.2).
///
/// `Codable` reads and writes it. Reading accepts files of other programs, where optional parts may be missing. Names of custom
/// fields start with an underscore. Those of this SDK are kept, those of other programs are not.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: url)
/// for entry in archive.log.entries { print(entry.request.method, entry.request.url, entry.response.status) }
/// ```
public struct HTTPArchive: Sendable, Hashable, Codable {
    public var log: Log

    /// Creates an archive of these entries.
    public init(entries: [Entry] = []) { log = Log(entries: entries) }

    /// Reads a HAR file.
    ///
    /// - Throws: `DecodingError` for any other file, or the error of reading the file.
    public init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(HTTPArchive.self, from: Data(contentsOf: url))
    }

    /// Returns the archive as JSON, with sorted keys.
    ///
    /// - Throws: `EncodingError` for a number that is not finite.
    public func jsonData() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Writes the archive to a file with mode 0600 in one step, in place of an older file. A symbolic link stays, and the file
    /// behind it is replaced. A device, a named pipe, a socket and a folder are refused.
    ///
    /// - Throws: ``FileSink/FileError``, or the error of ``jsonData()``.
    public func write(to url: URL) throws { try FileSink.FileError.write(jsonData(), to: url) }

    /// The root object.
    public struct Log: Sendable, Hashable, Codable {
        /// `"1.2"`.
        public var version = "1.2"
        /// The program that wrote the file.
        public var creator = Creator.networking
        /// The exchanges, in the order in which they started.
        public var entries: [Entry] = []
        /// A text for readers.
        public var comment: String?
    }

    /// A program and its version.
    public struct Creator: Sendable, Hashable, Codable {
        public var name: String
        public var version: String

        /// This SDK.
        public static let networking = Creator(name: "Networking", version: "0.1.0")
    }
}

/// A date in the format of HAR files: ISO 8601 with a time zone, `2009-04-16T12:07:23.321Z`. Any coder reads and writes it so.
struct ArchiveDate: Sendable, Hashable, Codable {
    var date: Date

    init(_ date: Date) { self.date = date }

    /// Reads a date, with or without fractions of a second.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = Self.date(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a date in ISO 8601")
        }
        self.date = date
    }

    /// Writes milliseconds, in UTC.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(Self.style))
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Foundation's style accepts three decimals or none. Other programs write six.
    private static func date(_ text: String) -> Date? {
        guard let point = text.firstIndex(of: ".") else { return try? Date.ISO8601FormatStyle().parse(text) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        guard let fraction = Double("0.\(digits)"),
            let whole = try? Date.ISO8601FormatStyle().parse(String(text[..<point]) + text[digits.endIndex...])
        else { return nil }
        return whole.addingTimeInterval(fraction)
    }
}
