// Texts for users in English, German, Spanish, French, Italian, Dutch, Polish and both kinds of Portuguese.
extension NetworkError: LocalizedError {
    /// What happened, in the user's language: a sentence, and where it is known, with which server, how far the exchange had come, and
    /// why. No secret is in it: of a URL it names the host and the port only.
    ///
    /// The language is the first of the user's that there are texts for, else English: on Apple's systems by
    /// `Locale.preferredLanguages`, elsewhere by `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG`, which Foundation does not read.
    /// ``localizedDescription(in:)`` takes another one. For logs there is ``description``, which does not change with the language.
    public var errorDescription: String? { text(in: .current) }

    /// Why, in a second sentence (seed 001's style), in the user's language.
    public var failureReason: String? { reason(in: .current) }

    /// What the user can do about it, in the user's language; nil where there is nothing.
    public var recoverySuggestion: String? { suggestion(in: .current) }

    /// ``errorDescription`` in a language of your choice.
    ///
    /// - Parameter locale: its language, and of Portuguese its region, count: `Locale(identifier: "pt-PT")`. English, if there are
    ///   no texts in it.
    public func localizedDescription(in locale: Locale) -> String { text(in: ErrorLanguage(locale)) }

    /// ``failureReason`` in a language of your choice: see ``localizedDescription(in:)``.
    public func failureReason(in locale: Locale) -> String { reason(in: ErrorLanguage(locale)) }

    /// ``recoverySuggestion`` in a language of your choice: see ``localizedDescription(in:)``.
    public func recoverySuggestion(in locale: Locale) -> String? { suggestion(in: ErrorLanguage(locale)) }

    private func text(in language: ErrorLanguage) -> String { ErrorSentences(self).text(in: language) }
    private func reason(in language: ErrorLanguage) -> String { ErrorSentences(self).reason(in: language) }

    private func suggestion(in language: ErrorLanguage) -> String? {
        RecoverySuggestion(self).map(language.texts.text(of:))
    }
}

extension NetworkFailure: LocalizedError {
    /// What to tell a user, in the user's language: the cause's text with the server and the reason, also where they are known to the
    /// failure only.
    public var errorDescription: String? { ErrorSentences(self).text(in: .current) }
    /// Why, in a second sentence, in the user's language.
    public var failureReason: String? { ErrorSentences(self).reason(in: .current) }
    /// What the user can do about it, in the user's language; nil where there is nothing.
    public var recoverySuggestion: String? { cause.recoverySuggestion }

    /// ``errorDescription`` in a language of your choice: see ``NetworkError/localizedDescription(in:)``.
    public func localizedDescription(in locale: Locale) -> String {
        ErrorSentences(self).text(in: ErrorLanguage(locale))
    }
    /// ``failureReason`` in a language of your choice.
    public func failureReason(in locale: Locale) -> String {
        ErrorSentences(self).reason(in: ErrorLanguage(locale))
    }
    /// ``recoverySuggestion`` in a language of your choice.
    public func recoverySuggestion(in locale: Locale) -> String? { cause.recoverySuggestion(in: locale) }
}

extension ErrorLanguage {
    fileprivate init(_ locale: Locale) { self.init(preferred: [locale.identifier]) }
}
