/// The one place that decides what may be shown: error descriptions, snapshots, logs, cURL lines and HAR files all ask it.
///
/// It denies by default. Shown is what is known to carry no secret: the values of header fields, query items and fields of
/// bodies whose *names* say so, and of these only what does not look like a secret. What cannot be read (malformed JSON, an
/// unknown kind of body) is not shown either.
///
/// The parts: ``FieldNames`` has the lists; `Redactor+URL`, `Redactor+JSON`, `Redactor+Fields` go through a shape each;
/// ``SecretScanner`` finds secrets by their own form, wherever they stand.
package struct Redactor: Sendable {
    /// What stands where something was left out.
    package static let mark = "[REDACTED]"

    /// The default: everything that is not known to be harmless is left out.
    package static let standard = Redactor(rules: RedactionRules())
    /// Shows everything. For debugging only.
    package static let none = Redactor(rules: nil)

    /// Nil: everything may be shown.
    let rules: RedactionRules?

    private init(rules: RedactionRules?) {
        self.rules = rules
    }

    /// A redactor by rules of one's own.
    package init(rules: RedactionRules) {
        self.rules = rules
    }

    /// Whether anything is left out at all.
    package var isEnabled: Bool { rules != nil }

    /// How many bytes of one field are looked at and shown. Behind them is the mark.
    package static let fieldLimit = 8 << 10

    /// The value of a header, or the mark. A value that may be shown is so without the secrets that it holds nevertheless, and up to
    /// ``fieldLimit``.
    package func headerValue(_ value: String, named name: String) -> String {
        guard let rules else { return value }
        return rules.showsHeader(name) ? SecretScanner.scrub(value, rules, limit: Self.fieldLimit) : Self.mark
    }

    /// Whether a field of a request is no credential.
    package static func isHarmless(headerNamed name: String) -> Bool {
        !CredentialFields.standard.isCredential(name)
    }

    /// The name of a field, or the mark where somebody has made a secret a name.
    package func name(_ name: String) -> String {
        guard let rules, SecretScanner.holdsSecret(name, rules) else { return name }
        return Self.mark
    }

    /// Free text without the secrets that can be told by their form: tokens, card numbers, `password=…`, user information in URLs.
    package func text(_ text: String) -> String {
        rules.map { SecretScanner.scrub(text, $0) } ?? text
    }
}

extension String {
    /// Without what is a secret by its form: for texts of errors, which come from anywhere.
    package var withoutSecrets: String { Redactor.standard.text(self) }
}
