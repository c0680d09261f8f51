// Texts for users in English, German, Spanish, French, Italian, Dutch, Polish and both kinds of Portuguese.
extension NetworkError: LocalizedError {
    /// One sentence to show to a user, in the user's language (seed 000's texts in English). No secret is in it.
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

    private func text(in language: ErrorLanguage) -> String {
        language.texts.description(of: shown)
    }

    private func reason(in language: ErrorLanguage) -> String {
        guard case .unknown(let error?) = self else { return language.texts.reason(of: shown) }
        if let trouble = TransportTrouble(error) { return language.texts.reason(of: trouble) }
        // Where somebody has put into `unknown` what has a case of its own.
        return language.texts.reason(of: (error as? TransportError)?.networkError ?? self)
    }

    private func suggestion(in language: ErrorLanguage) -> String? {
        RecoverySuggestion(self).map(language.texts.text(of:))
    }

    /// The same error with the text from outside made fit to be shown.
    private var shown: NetworkError {
        switch self {
        case .circuitOpen(let host, let until): .circuitOpen(host: ShownText.host(host), until: until)
        case .pinningFailed(let host): .pinningFailed(host: ShownText.host(host))
        default: self
        }
    }
}

extension NetworkFailure: LocalizedError {
    /// What to tell a user: the cause's text, in the user's language.
    public var errorDescription: String? { cause.errorDescription }
    /// Why, in a second sentence, in the user's language.
    public var failureReason: String? { cause.failureReason }
    /// What the user can do about it, in the user's language; nil where there is nothing.
    public var recoverySuggestion: String? { cause.recoverySuggestion }

    /// ``errorDescription`` in a language of your choice: see ``NetworkError/localizedDescription(in:)``.
    public func localizedDescription(in locale: Locale) -> String { cause.localizedDescription(in: locale) }
    /// ``failureReason`` in a language of your choice.
    public func failureReason(in locale: Locale) -> String { cause.failureReason(in: locale) }
    /// ``recoverySuggestion`` in a language of your choice.
    public func recoverySuggestion(in locale: Locale) -> String? { cause.recoverySuggestion(in: locale) }
}

extension ErrorLanguage {
    fileprivate init(_ locale: Locale) { self.init(preferred: [locale.identifier]) }
}
