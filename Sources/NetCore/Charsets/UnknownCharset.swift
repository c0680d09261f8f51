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
