/// What went wrong, in one enum for requests, downloads and uploads (seed 000, chapter Error Handling).
///
/// The cases are settled: later versions add detail inside them, not cases beside them, so that a `switch` stays
/// exhaustive. ``NetworkFailure`` carries the same error with its context (which request, which response, how many
/// attempts). `Docs/Errors.md` says what each transport can see, and which case it becomes.
///
/// ```swift
/// switch error {
/// case .noInternetConnection: showOfflineBanner()
/// case .requestFailed(let code, _) where code == 401: signIn()
/// default: show(error.localizedDescription)
/// }
/// ```
public enum NetworkError: Error, Sendable {
    /// The URL is malformed, empty, or of a scheme other than `http` and `https`.
    case invalidURL
    /// The request could not be built: a header with a line break, a method that is no token, an interceptor's `adapt`
    /// that threw. The error inside, often a ``RequestBuildingError``, says which.
    case invalidRequest((any Error)?)
    /// The server answered with a status outside 200 to 299. `data` is the body of that answer.
    case requestFailed(statusCode: Int, data: Data?)
    /// The body could not be turned into the type asked for.
    case decodingError(any Error)
    /// The status was successful, but a body was needed and there was none.
    case noData
    /// A download could not be completed, for a reason other than the network: the disk is full, the digest differs.
    case downloadFailed((any Error)?)
    /// An upload could not be completed, for a reason other than the network: the file cannot be read, or it changed.
    case uploadFailed((any Error)?)
    /// The device is offline, known before anything was sent.
    case noInternetConnection
    /// A timeout ran out: connecting, waiting for the next byte, or the whole call. The ``TransportError`` inside says which.
    case timeout((any Error)?)
    /// The connection was refused, reset or lost: an outage that may pass. The ``TransportError`` inside says which.
    case networkUnavailable((any Error)?)
    /// Anything else: name resolution, TLS, a malformed reply (a ``TransportError``), or what a plugin threw.
    case unknown((any Error)?)

    /// The task was cancelled, or the client was shut down with the call in flight.
    case cancelled
    /// The value for the request's body or query could not be encoded.
    case encodingError(any Error)
    /// The circuit breaker of that host is open: nothing was sent, and nothing will be before `until`.
    case circuitOpen(host: String, until: Date)
    /// The server's certificates do not fit the pins (or the trust policy) for that host. Nothing was sent.
    case pinningFailed(host: String)
    /// The body has to be sent again, after a redirect or for a retry, but it is a stream that can be read only once.
    case bodyNotReplayable
    /// The response is larger than the limit, in bytes. Raise the limit, or read the body as a stream.
    case responseTooLarge(limit: Int)
    /// The redirects did not end.
    case tooManyRedirects
    /// This platform, transport or client cannot do what was asked. The text says what to do instead.
    case unsupported(String)
}

// The cases that hold an error since they were first written, without it: `error == .timeout`, `throw .timeout`. A pattern names the case
// either way: `case .timeout:`, `case .timeout(let error):`.
extension NetworkError {
    /// ``invalidRequest(_:)`` without an error inside.
    public static var invalidRequest: NetworkError { .invalidRequest(nil) }
    /// ``timeout(_:)`` without an error inside.
    public static var timeout: NetworkError { .timeout(nil) }
    /// ``networkUnavailable(_:)`` without an error inside.
    public static var networkUnavailable: NetworkError { .networkUnavailable(nil) }
}

extension NetworkError: Equatable {
    /// Compares the case and its plain values. Embedded errors are ignored, since `Error` is not `Equatable` and texts
    /// are no identity (seed 000, "Equality Caveats").
    public static func == (lhs: NetworkError, rhs: NetworkError) -> Bool {
        switch (lhs, rhs) {
        case (.requestFailed(let left, let leftData), .requestFailed(let right, let rightData)):
            left == right && leftData == rightData
        case (.circuitOpen(let left, let leftDate), .circuitOpen(let right, let rightDate)):
            left == right && leftDate == rightDate
        case (.pinningFailed(let left), .pinningFailed(let right)): left == right
        case (.responseTooLarge(let left), .responseTooLarge(let right)): left == right
        case (.unsupported(let left), .unsupported(let right)): left == right
        default: lhs.code == rhs.code
        }
    }
}

extension NetworkError {
    /// A short name of the case that never changes, for logs, dashboards and analytics: `"timeout"`.
    public var code: String {
        switch self {
        case .invalidURL: "invalid_url"
        case .invalidRequest: "invalid_request"
        case .requestFailed: "request_failed"
        case .decodingError: "decoding_error"
        case .noData: "no_data"
        case .downloadFailed: "download_failed"
        case .uploadFailed: "upload_failed"
        case .noInternetConnection: "no_internet_connection"
        case .timeout: "timeout"
        case .networkUnavailable: "network_unavailable"
        case .unknown: "unknown"
        case .cancelled: "cancelled"
        case .encodingError: "encoding_error"
        case .circuitOpen: "circuit_open"
        case .pinningFailed: "pinning_failed"
        case .bodyNotReplayable: "body_not_replayable"
        case .responseTooLarge: "response_too_large"
        case .tooManyRedirects: "too_many_redirects"
        case .unsupported: "unsupported"
        }
    }

    /// Whether the same request may succeed if it is sent again: the network was at fault, the server was busy (408, 429)
    /// or failed (5xx except 501 and 505, which will not change). Says nothing of whether sending it twice is *safe*.
    public var isRetryable: Bool {
        switch self {
        case .timeout, .networkUnavailable, .noInternetConnection: true
        case .requestFailed(let status, _):
            status == 408 || status == 429 || (500..<600).contains(status) && status != 501 && status != 505
        case .unknown(let error): (error as? TransportError)?.isTransient ?? false
        default: false
        }
    }

    /// Whether this is the caller's own doing, which is seldom worth a message.
    public var isCancellation: Bool { self == .cancelled }

    /// The status code of ``requestFailed(statusCode:data:)``.
    public var statusCode: Int? {
        if case .requestFailed(let status, _) = self { status } else { nil }
    }

    /// The error inside, where the case has one.
    public var embeddedError: (any Error)? {
        switch self {
        case .decodingError(let error), .encodingError(let error): error
        case .downloadFailed(let error), .uploadFailed(let error), .unknown(let error), .invalidRequest(let error),
            .timeout(let error), .networkUnavailable(let error):
            error
        default: nil
        }
    }

    /// The same error, which holds what lies beneath it, if the case has a place for it that is empty.
    func holding(_ error: (any Error)?) -> NetworkError {
        guard let error, embeddedError == nil, !(error is NetworkError), !(error is NetworkFailure) else { return self }
        switch self {
        case .invalidRequest: return .invalidRequest(error)
        case .timeout: return .timeout(error)
        case .networkUnavailable: return .networkUnavailable(error)
        case .unknown: return .unknown(error)
        case .downloadFailed: return .downloadFailed(error)
        case .uploadFailed: return .uploadFailed(error)
        default: return self
        }
    }

    /// The kind, in the finer list of seed 003.
    public var kind: ErrorKind { ErrorKind(self) }
}

extension NetworkError: CustomStringConvertible, CustomReflectable {
    /// One line for a log: the ``code``, and what is known beyond it. No secret and no body is in it,
    /// and of a URL only the host and the port.
    public var description: String {
        if case .requestFailed(let status, let data) = self {
            let hint = SchemeMismatch(status: status, body: data).map { ". \($0.hint)" } ?? ""
            return "\(code): status \(status)\(hint)"
        }
        return detail.map { "\(code): \($0.withoutSecrets)" } ?? code
    }

    /// Shows the description alone, so that `dump` does not show the body either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// What the case knows beyond its code and status.
    var detail: String? {
        switch self {
        case .circuitOpen(let host, let until): "\(host) until \(until)".onOneLine
        case .pinningFailed(let host): host.onOneLine
        case .responseTooLarge(let limit): "over \(limit) bytes"
        case .unsupported(let advice): advice.onOneLine
        default: embeddedError.map(Self.detail(of:))
        }
    }

    /// Of a transport's error the host instead of the URL: a path may be secret.
    private static func detail(of error: any Error) -> String {
        guard let error = error as? TransportError else { return secretFreeText(of: error) }
        return error.summary + (error.url?.authority.map { " (\(ShownText.host($0)))" } ?? "")
    }
}

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
