/// Composes the sentences about an error from its case and the underlying error.
struct ErrorSentences {
    private let error: NetworkError
    /// The embedded error of the case, or the failure's underlying error.
    private let underlying: (any Error)?
    /// The request's host, for an underlying error without one.
    private var host: String?
    /// What the server says about the error.
    private var details: ProblemDetails?

    init(_ error: NetworkError) { (self.error, underlying) = (error, error.embeddedError) }

    init(_ failure: NetworkFailure) {
        (error, underlying, details) = (failure.cause, failure.underlyingError, failure.problemDetails)
        host = failure.request?.url?.absoluteString.authority
    }

    /// Returns what happened, with the server, the phase and the reason if they are known.
    func text(in language: ErrorLanguage) -> String {
        let sentence = language.text(.description(shown))
        switch error {
        case .unknown:
            if let wrapped { return wrapped.text(in: language) }
            return connectionFailure(in: language) ?? note(in: language) ?? sentence
        case .networkUnavailable: return connectionFailure(in: language) ?? sentence
        case .noInternetConnection: return joined(sentence, unavailable(in: language))
        case .timeout: return joined(sentence, connectionFailure(in: language))
        case .invalidRequest: return joined(sentence, note(in: language))
        case .decodingError: return joined(sentence, mismatch(in: language))
        case .requestFailed(let status, let data):
            let mismatch = SchemeMismatch(status: status, body: data).map { language.text(.problem(.init($0))) }
            // An error of another request may contain its path.
            let isOfAnother = wrapped != nil || problem != nil
            return joined(sentence, mismatch, details?.shownTitle, isOfAnother ? nil : note(in: language))
        default: return sentence
        }
    }

    func reason(in language: ErrorLanguage) -> String {
        let reason = language.text(.reason(error))
        switch error {
        case .unknown, .networkUnavailable, .timeout:
            if let wrapped { return wrapped.reason(in: language) }
            return problem.map { language.text(.problem($0)) } ?? reason
        case .noInternetConnection: return unavailable(in: language) ?? reason
        case .invalidRequest: return note(in: language) ?? reason
        case .decodingError: return mismatch(in: language) ?? reason
        case .requestFailed(let status, let data):
            let mismatch = SchemeMismatch(status: status, body: data)
            return mismatch.map { language.text(.problem(.init($0))) } ?? joined(reason, details?.shownDetail)
        default: return reason
        }
    }

    /// Nil for an error that is not of the network.
    private var problem: TransportProblem? { underlying.flatMap(TransportProblem.init) }

    /// The reason why no network may be used, or nil if it is unknown.
    private func unavailable(in language: ErrorLanguage) -> String? {
        (underlying as? TransportError)?.networkUnavailableReason.map { language.text(.unavailable($0)) }
    }

    /// The sentences about an error of this SDK that the case holds.
    private var wrapped: ErrorSentences? {
        switch underlying {
        case let failure as NetworkFailure: ErrorSentences(failure)
        case let error as NetworkError: ErrorSentences(error)
        // `unknown` can hold an error that has its own case and no details.
        case let error as TransportError where problem == nil: ErrorSentences(error.networkError)
        default: nil
        }
    }

    private func connectionFailure(in language: ErrorLanguage) -> String? {
        guard let problem else { return nil }
        let error = underlying as? TransportError
        // `URLError` does not say more.
        if error == nil, problem == .other { return nil }
        let host = (error?.url ?? (underlying as? URLError)?.failingURL?.absoluteString)?.authority ?? host
        let phase = error?.phase ?? problem.phase
        let place = host.map { language.text(.failure(phase, host: SanitizedText.host($0))) }
        return joined(place, language.text(.problem(problem)))
    }

    private func mismatch(in language: ErrorLanguage) -> String? {
        guard let error = underlying as? DecodingError else { return nil }
        let contentType = error.body?.foreignContentType.map { language.text(.contentType($0)) }
        let mismatch = DecodingMismatch(error)
        return joined(language.text(.mismatch(mismatch.problem, at: language.text(.place(mismatch.path)))), contentType)
    }

    /// Returns the message of an SDK error for developers.
    private func note(in language: ErrorLanguage) -> String? {
        guard let error = underlying as? any SecretFreeError else { return nil }
        let text = secretFreeText(of: error)
        return text.isEmpty ? nil : language.text(.note(text))
    }

    private func joined(_ sentences: String?...) -> String { sentences.compactMap { $0 }.joined(separator: " ") }

    /// The same error, with external text made safe to show.
    private var shown: NetworkError {
        switch error {
        case .circuitOpen(let host, let until): .circuitOpen(host: SanitizedText.host(host), until: until)
        case .pinningFailed(let host): .pinningFailed(host: SanitizedText.host(host))
        default: error
        }
    }
}

extension TransportProblem {
    /// The phase of a failure that can happen in one phase only.
    fileprivate var phase: TransportError.Phase? {
        switch self {
        case .nameNotResolved: .resolving
        case .connectionRefused, .hostUnreachable, .connectTimeout: .connecting
        case .secureConnectionFailed, .certificateUntrusted, .clientCertificateRejected: .securing
        default: nil
        }
    }
}

/// A text about an error, in every language.
///
/// Each language is a `switch` over all texts, so that a missing one does not compile. The texts are in code because `Bundle.module` traps if
/// its bundle is missing. They are whole sentences. ``SanitizedText`` sanitises hosts first; numbers are plain digits.
enum ErrorText {
    /// A sentence for the user.
    case description(NetworkError)
    /// The reason, as a second sentence. For ``NetworkError/unknown(_:)`` only if there is no ``TransportProblem``.
    case reason(NetworkError)
    /// The reason of a transport's failure.
    case problem(TransportProblem)
    /// The reason why no network may be used.
    case unavailable(TransportError.UnavailableReason)
    /// A sentence that names the server and the phase in which the exchange failed, or nil if that is unknown.
    case failure(TransportError.Phase?, host: String)
    /// A sentence about the mismatch between a response and its type. It begins with the place.
    case mismatch(DecodingMismatch.Problem, at: String)
    /// A path in a response, or its top level for nil, as the beginning of a sentence.
    case place(String?)
    /// A sentence about a response whose media type is not JSON.
    case contentType(String)
    /// An English text for developers, after a word that marks it as such.
    case note(String)
    case suggestion(RecoverySuggestion)
}

extension String? {
    /// The name of a type to follow "the expected type", if it is known.
    var spaced: String { map { " \($0)" } ?? "" }
}

enum RecoverySuggestion: CaseIterable {
    case checkConnection, tryLater, signIn, checkStorage, checkFile, checkClockOrNetwork
}

extension NetworkError {
    /// Returns the user's remedy, or nil if the user cannot do anything.
    func suggestion(in language: ErrorLanguage) -> String? { remedy.map { language.text(.suggestion($0)) } }

    private var remedy: RecoverySuggestion? {
        switch self {
        case .noInternetConnection, .networkUnavailable: .checkConnection
        case .timeout, .circuitOpen: .tryLater
        case .requestFailed(401, _): .signIn
        case .requestFailed where isRetryable: .tryLater
        case .downloadFailed: .checkStorage
        case .uploadFailed: .checkFile
        case .pinningFailed: .checkClockOrNetwork
        case .unknown(let error): error.flatMap(TransportProblem.init)?.suggestion
        case .requestFailed, .invalidURL, .invalidRequest, .decodingError, .noData, .cancelled, .encodingError,
            .bodyNotReplayable, .responseTooLarge, .tooManyRedirects, .unsupported:
            nil
        }
    }
}

/// Sanitises external text for a sentence that a user sees.
enum SanitizedText {
    /// The longest host name (RFC 1035, section 2.3.4).
    private static let maximumLength = 253

    /// Returns a host without line breaks and bidirectional controls, which could make one host look like another, cut to the longest valid length.
    static func host(_ host: String) -> String { harmless(host, maximumLength) }

    /// Returns the name of a key, a type or a media type, sanitised likewise and cut to 64 characters.
    static func word(_ word: String) -> String { harmless(word, 64) }

    /// Returns a server's sentence without secrets, sanitised likewise and cut to 200 characters. Nil if nothing is left.
    static func sentence(_ sentence: String) -> String? {
        // Cut first, so that a long text costs no more.
        let text = harmless(String(sentence.prefix(1000)).withoutSecrets, 200)
        return text.isEmpty ? nil : text
    }

    private static func harmless(_ text: String, _ length: Int) -> String {
        let scalars = text.onOneLine.unicodeScalars.lazy.filter { $0.properties.generalCategory != .format }
        return String(String.UnicodeScalarView(scalars.prefix(length)))
    }
}

enum ErrorLanguage: String, CaseIterable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case italian = "it"
    case dutch = "nl"
    case polish = "pl"
    case brazilianPortuguese = "pt-BR"
    case europeanPortuguese = "pt-PT"

    /// Creates the first of the user's languages that has texts, or English.
    ///
    /// - Parameter preferred: BCP 47 tags (`pt-PT`, `de-AT`) or POSIX locales (`pl_PL.UTF-8`), the preferred one first.
    init(preferred: [String]) { self = preferred.lazy.compactMap(Self.init(tag:)).first ?? .english }

    /// The language of this process's user.
    static var current: ErrorLanguage { ErrorLanguage(preferred: SystemLanguages.preferred) }

    func text(_ text: ErrorText) -> String {
        switch self {
        case .english: englishText(of: text)
        case .german: germanText(of: text)
        case .spanish: spanishText(of: text)
        case .french: frenchText(of: text)
        case .italian: italianText(of: text)
        case .dutch: dutchText(of: text)
        case .polish: polishText(of: text)
        case .brazilianPortuguese: brazilianPortugueseText(of: text)
        case .europeanPortuguese: europeanPortugueseText(of: text)
        }
    }

    private init?(tag: String) {
        // A character set or a modifier may follow: "de_DE.UTF-8@euro".
        let name = tag.prefix { $0 != "." && $0 != "@" }
        let subtags = name.split { $0 == "-" || $0 == "_" }.map { String($0).asciiLowercased }
        let isEuropean = subtags.dropFirst().contains(where: Self.europeanRegions.contains)
        self.init(rawValue: subtags.first == "pt" ? (isEuropean ? "pt-PT" : "pt-BR") : subtags.first ?? "")
    }

    /// The regions that use European Portuguese: the children of `pt-PT` in Unicode's CLDR.
    private static let europeanRegions: Set = ["pt", "ao", "ch", "cv", "fr", "gq", "gw", "lu", "mo", "mz", "st", "tl"]
}

/// The preferred languages of the process's user.
enum SystemLanguages {
    /// BCP 47 tags or POSIX locales, the preferred one first.
    static var preferred: [String] {
        #if canImport(Darwin)
            // Read each time, because the user can change an app's language while it runs.
            Locale.preferredLanguages
        #else
            // Foundation always returns "en-001" here.
            ofEnvironment
        #endif
    }

    /// Read once: the environment of a process does not change, and reading it takes 20 µs.
    private static let ofEnvironment = languages(in: ProcessInfo.processInfo.environment)

    /// Reads the variables like gettext: `LC_ALL`, `LC_MESSAGES` or `LANG` sets the locale, in this order, and `LANGUAGE` lists languages
    /// preferred to it. In the C locale everything is English.
    static func languages(in environment: [String: String]) -> [String] {
        let variables = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let locale = variables.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else {
            return []
        }
        let name = locale.prefix { $0 != "." && $0 != "@" }
        guard name != "C", name != "POSIX" else { return [] }
        return (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
    }
}
