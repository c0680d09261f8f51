extension Charset {
    /// The `charset` of a `Content-Type`; nil if it has none.
    ///
    /// - Throws: ``UnknownCharset``.
    package init?(contentType: String) throws(UnknownCharset) {
        guard let name = Self.parameter(in: contentType) else { return nil }
        guard let charset = Charset(named: name) else { throw UnknownCharset(name: name) }
        self = charset
    }

    /// The value of the parameter `charset`, as it stands there.
    package static func parameter(in contentType: String) -> String? {
        FieldParameters.parse(contentType).first { $0.name == "charset" }?.value
    }

    /// The text of the bytes, or nil if they are not text in this character set.
    ///
    /// - Throws: ``UnknownCharset`` if this system cannot read it.
    package func text(_ data: Data) throws(UnknownCharset) -> String? {
        guard let text = decode(data) else { throw UnknownCharset(name: name) }
        return text
    }
}

/// A response's `charset` is not known, or the system cannot read it: inside ``NetworkError/decodingError(_:)``. The body is not guessed at.
///
/// To read it as another character set, use ``StringSerializer/init(encoding:)``.
public struct UnknownCharset: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name as the server wrote it, at most 64 bytes of it.
    public let name: String

    /// An error.
    ///
    /// - Parameter name: the name of the character set. What is behind 64 bytes is left out.
    public init(name: String) {
        self.name = String(decoding: name.utf8.prefix(64), as: UTF8.self)
    }

    /// The name, in one line.
    public var description: String { "unknown charset \"\(name.onOneLine)\"" }
}

extension UnknownCharset: SecretFreeError {}
