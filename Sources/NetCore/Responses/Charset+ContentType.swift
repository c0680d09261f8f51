extension Charset {
    /// Creates the character set that a `Content-Type` names by `charset`, or nil if it names none.
    ///
    /// - Throws: ``StringSerializer/UnknownCharset`` if the name is unknown.
    package init?(contentType: String) throws(StringSerializer.UnknownCharset) {
        guard let name = Self.parameter(in: contentType) else { return nil }
        guard let charset = Charset(named: name) else { throw StringSerializer.UnknownCharset(name: name) }
        self = charset
    }

    /// Returns the value of the parameter `charset` as received.
    package static func parameter(in contentType: String) -> String? {
        FieldParameters.parse(contentType).first { $0.name == "charset" }?.value
    }

    /// Returns the text of the bytes, or nil if they are invalid in this character set.
    ///
    /// - Throws: ``StringSerializer/UnknownCharset`` if the system does not support it.
    package func text(_ data: Data) throws(StringSerializer.UnknownCharset) -> String? {
        guard let text = decode(data) else { throw StringSerializer.UnknownCharset(name: name) }
        return text
    }
}

extension StringSerializer {
    /// A response's `charset` is unknown or unsupported. It is inside a ``NetworkError/decodingError(_:)``; the body is not guessed.
    ///
    /// To read it as another character set, use ``StringSerializer/init(encoding:)``.
    public struct UnknownCharset: Error, Hashable, Sendable, CustomStringConvertible, SecretFreeError {
        /// The name as the server wrote it, up to 64 bytes.
        public let name: String

        /// - Parameter name: the name of the character set, which is cut to 64 bytes.
        public init(name: String) { self.name = String(decoding: name.utf8.prefix(64), as: UTF8.self) }

        /// The name, on one line.
        public var description: String { "unknown charset \"\(name.onOneLine)\"" }
    }
}
