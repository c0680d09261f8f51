/// Text from outside, made fit to stand in a sentence that is shown to a user.
enum ShownText {
    /// The longest host name there is (RFC 1035, section 2.3.4).
    private static let maximumLength = 253

    /// A host without line breaks, without marks that turn the direction of writing around (they could make one host look like
    /// another), and cut where no host goes on.
    static func host(_ host: String) -> String {
        let scalars = host.onOneLine.unicodeScalars.lazy.filter { $0.properties.generalCategory != .format }
        return String(String.UnicodeScalarView(scalars.prefix(maximumLength)))
    }
}
