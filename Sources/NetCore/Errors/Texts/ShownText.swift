/// Text from outside, made fit to stand in a sentence that is shown to a user.
enum ShownText {
    /// The longest host name there is (RFC 1035, section 2.3.4).
    private static let maximumLength = 253

    /// A host without line breaks, without marks that turn the direction of writing around (they could make one host look like
    /// another), and cut where no host goes on.
    static func host(_ host: String) -> String { harmless(host, maximumLength) }

    /// The name of a key, a type or a media type, likewise, of at most 64 characters.
    static func word(_ word: String) -> String { harmless(word, 64) }

    private static func harmless(_ text: String, _ length: Int) -> String {
        let scalars = text.onOneLine.unicodeScalars.lazy.filter { $0.properties.generalCategory != .format }
        return String(String.UnicodeScalarView(scalars.prefix(length)))
    }
}
