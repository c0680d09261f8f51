/// The sentences on an error, put together from its case and from what lies beneath it.
struct ErrorSentences {
    private let error: NetworkError
    /// What the case holds, or what the failure knows beyond it.
    private let beneath: (any Error)?
    /// The host that was asked, where the error beneath does not name it.
    private let host: String?

    init(_ error: NetworkError) {
        self.init(error, beneath: error.embeddedError, host: nil)
    }

    init(_ failure: NetworkFailure) {
        self.init(failure.cause, beneath: failure.underlyingError, host: failure.request?.url?.absoluteString.authority)
    }

    private init(_ error: NetworkError, beneath: (any Error)?, host: String?) {
        self.error = error
        self.beneath = beneath
        self.host = host
    }

    /// What happened: with which server, how far the exchange had come, and why, as far as that is known.
    func text(in language: ErrorLanguage) -> String {
        let texts = language.texts
        let sentence = texts.description(of: shown)
        switch error {
        case .unknown:
            if let wrapped { return wrapped.text(in: language) }
            return connectionFailure(in: texts) ?? note(in: texts) ?? sentence
        case .networkUnavailable: return connectionFailure(in: texts) ?? sentence
        case .timeout: return joined(sentence, connectionFailure(in: texts))
        case .invalidRequest: return joined(sentence, note(in: texts))
        case .decodingError: return joined(sentence, mismatch(in: texts))
        case .requestFailed(let status, let data):
            let mismatch = SchemeMismatch(status: status, body: data).map(TransportTrouble.init)
            return joined(sentence, mismatch.map(texts.reason(of:)))
        default: return sentence
        }
    }

    /// Why.
    func reason(in language: ErrorLanguage) -> String {
        let texts = language.texts
        switch error {
        case .unknown, .networkUnavailable, .timeout:
            if let wrapped { return wrapped.reason(in: language) }
            return trouble.map(texts.reason(of:)) ?? texts.reason(of: error)
        case .invalidRequest: return note(in: texts) ?? texts.reason(of: error)
        case .decodingError: return mismatch(in: texts) ?? texts.reason(of: error)
        case .requestFailed(let status, let data):
            guard let mismatch = SchemeMismatch(status: status, body: data) else { return texts.reason(of: error) }
            return texts.reason(of: TransportTrouble(mismatch))
        default: return texts.reason(of: error)
        }
    }

    /// Nil for what says nothing of the network.
    private var trouble: TransportTrouble? { beneath.flatMap(TransportTrouble.init) }

    /// The sentences on an error of ours that a case holds.
    private var wrapped: ErrorSentences? {
        switch beneath {
        case let failure as NetworkFailure: ErrorSentences(failure)
        case let error as NetworkError: ErrorSentences(error)
        // Where `unknown` holds what has a case of its own, without more to say.
        case let error as TransportError where trouble == nil: ErrorSentences(error.networkError)
        default: nil
        }
    }

    private func connectionFailure(in texts: any ErrorTexts) -> String? {
        guard let trouble else { return nil }
        let error = beneath as? TransportError
        // What URLSession does not tell apart is unknown.
        if error == nil, trouble == .other { return nil }
        let host = error?.url?.authority ?? (beneath as? URLError)?.failingAuthority ?? host
        let place = host.map { texts.failure(in: error?.phase ?? trouble.phase, host: ShownText.host($0)) }
        return joined(place, texts.reason(of: trouble))
    }

    private func mismatch(in texts: any ErrorTexts) -> String? {
        guard let error = beneath as? DecodingError else { return nil }
        let contentType = error.body?.foreignContentType.map(texts.text(ofContentType:))
        return joined(texts.text(of: DecodingMismatch(error)), contentType)
    }

    /// What an error of this SDK says to developers.
    private func note(in texts: any ErrorTexts) -> String? {
        guard let error = beneath as? any SecretFreeError else { return nil }
        let text = secretFreeText(of: error)
        return text.isEmpty ? nil : texts.note(text)
    }

    private func joined(_ sentences: String?...) -> String {
        sentences.compactMap { $0 }.joined(separator: " ")
    }

    /// The same error with the text from outside made fit to be shown.
    private var shown: NetworkError {
        switch error {
        case .circuitOpen(let host, let until): .circuitOpen(host: ShownText.host(host), until: until)
        case .pinningFailed(let host): .pinningFailed(host: ShownText.host(host))
        default: error
        }
    }
}

extension TransportTrouble {
    /// The phase in which it happens, where it can happen in one phase only.
    fileprivate var phase: TransportError.Phase? {
        switch self {
        case .nameNotResolved: .resolving
        case .connectionRefused, .hostUnreachable, .connectTimeout: .connecting
        case .secureConnectionFailed, .certificateUntrusted, .clientCertificateRejected: .securing
        default: nil
        }
    }
}

extension URLError {
    fileprivate var failingAuthority: String? { failingURL?.absoluteString.authority }
}

extension String {
    /// The host and the port of a URL, without user information. Nil if the text is not a URL with a host.
    var authority: String? {
        guard let start = range(of: "://") else { return nil }
        let rest = self[start.upperBound...].prefix { !"/?#\\".contains($0) }
        let host = rest.split(separator: "@", omittingEmptySubsequences: false).last ?? rest
        return host.isEmpty ? nil : String(host)
    }
}

/// What errors say to people, in one language.
///
/// Each language is a type with a `switch` over every case, so that a missing text does not compile. The texts stand in code, since
/// `Bundle.module` traps where its bundle is missing. They are whole sentences; hosts are made harmless by ``ShownText`` before
/// they come here, and numbers are plain digits.
protocol ErrorTexts: Sendable {
    /// One sentence to show to a user.
    func description(of error: NetworkError) -> String
    /// Why, in a second sentence. Of ``NetworkError/unknown(_:)`` only where there is no ``TransportTrouble``.
    func reason(of error: NetworkError) -> String
    /// Why a transport failed.
    func reason(of trouble: TransportTrouble) -> String
    /// How far the exchange had come when it failed, and with which server. The phase is nil if it is not known.
    func failure(in phase: TransportError.Phase?, host: String) -> String
    /// Where a response does not fit its type, and how.
    func text(of mismatch: DecodingMismatch) -> String
    /// The media type of a response that is not JSON.
    func text(ofContentType contentType: String) -> String
    /// A text for developers, which is in English, behind a word that says so.
    func note(_ text: String) -> String
    /// What to do about it.
    func text(of suggestion: RecoverySuggestion) -> String
}

/// What a user can do.
enum RecoverySuggestion: CaseIterable {
    case checkConnection
    case tryLater
    case signIn
    case checkStorage
    case checkFile
    case checkClockOrNetwork

    /// Nil where there is nothing that a user could do.
    init?(_ error: NetworkError) {
        switch error {
        case .noInternetConnection, .networkUnavailable: self = .checkConnection
        case .timeout, .circuitOpen: self = .tryLater
        case .requestFailed(401, _): self = .signIn
        case .requestFailed where error.isRetryable: self = .tryLater
        case .downloadFailed: self = .checkStorage
        case .uploadFailed: self = .checkFile
        case .pinningFailed: self = .checkClockOrNetwork
        case .unknown(let error):
            guard let suggestion = error.flatMap(TransportTrouble.init)?.suggestion else { return nil }
            self = suggestion
        case .requestFailed, .invalidURL, .invalidRequest, .decodingError, .noData, .cancelled, .encodingError,
            .bodyNotReplayable, .responseTooLarge, .tooManyRedirects, .unsupported:
            return nil
        }
    }
}

extension ErrorTexts {
    /// The name of a type behind the words "the expected type", where it is known.
    func suffix(_ type: String?) -> String { type.map { " \($0)" } ?? "" }
}

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
