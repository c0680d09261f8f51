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

    /// An archive.
    public init(log: Log) {
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
        try PrivateFile.replace(url, with: jsonData())
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

        /// A log.
        public init(
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

        /// A program.
        public init(name: String, version: String) {
            self.name = name
            self.version = version
        }

        /// This SDK.
        public static let networking = Creator(name: "Networking", version: "0.1.0")
    }
}
