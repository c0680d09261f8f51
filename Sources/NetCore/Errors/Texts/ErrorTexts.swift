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
