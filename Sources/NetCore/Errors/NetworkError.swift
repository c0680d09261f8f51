/// An error of a request, download or upload.
///
/// New versions add details to the cases but no new cases, so that a `switch` stays exhaustive. ``NetworkFailure`` has the same error with
/// its context (request, response, attempts). [Errors](doc:/Guides/Errors) lists which errors of the transports become which case.
///
/// ```swift
/// switch error {
/// case .noInternetConnection: showOfflineBanner()
/// case .requestFailed(let code, _) where code == 401: signIn()
/// default: print(error.localizedDescription)
/// }
/// ```
public enum NetworkError: Error, Sendable {
    /// The URL is malformed, empty, or has a scheme other than `http` and `https`.
    case invalidURL
    /// The request could not be built, for the embedded reason: a header with a line break, a method that is not a token, an `adapt` that threw.
    case invalidRequest((any Error)?)
    /// The response has a status outside 200 to 299. `data` is its body.
    case requestFailed(statusCode: Int, data: Data?)
    /// The body could not be decoded.
    case decodingError(any Error)
    /// The status was successful, but a required body was missing.
    case noData
    /// A download failed for a reason other than the network: the disk is full, the digest differs.
    case downloadFailed((any Error)?)
    /// An upload failed for a reason other than the network: the file is unreadable, or it changed.
    case uploadFailed((any Error)?)
    /// The device was offline before anything was sent.
    case noInternetConnection
    /// A timeout while connecting, while waiting for the next byte, or of the whole call. The embedded ``TransportError`` says which.
    case timeout((any Error)?)
    /// The connection was refused, reset or lost. The embedded ``TransportError`` says which.
    case networkUnavailable((any Error)?)
    /// Any other error: name resolution, TLS, a malformed response (a ``TransportError``), or a plugin's error.
    case unknown((any Error)?)

    /// The task was cancelled, or the client was shut down during the call.
    case cancelled
    /// The value for the request's body or query could not be encoded.
    case encodingError(any Error)
    /// The host's circuit breaker is open. Nothing was sent, and nothing will be before `until`.
    case circuitOpen(host: String, until: Date)
    /// The server's certificates do not match the pins, or the trust policy refused them. Nothing was sent.
    case pinningFailed(host: String)
    /// The body has to be sent again, after a redirect or for a retry, but is a stream that can be read only once.
    case bodyNotReplayable
    /// The response exceeds the limit, in bytes. Raise the limit, or read the body as a stream.
    case responseTooLarge(limit: Int)
    case tooManyRedirects
    /// The platform, transport or client does not support the request. The text suggests an alternative.
    case unsupported(String)
}

// The cases with an optional error, without it: `error == .timeout`, `throw .timeout`. A pattern can use either form.
extension NetworkError {
    public static var invalidRequest: NetworkError { .invalidRequest(nil) }
    public static var timeout: NetworkError { .timeout(nil) }
    public static var networkUnavailable: NetworkError { .networkUnavailable(nil) }
}

extension NetworkError: Equatable {
    /// Compares the case and its plain values. Embedded errors are ignored, since `Error` is not `Equatable` and texts do not identify an error.
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

    /// A stable short name of the case, for logs, dashboards and analytics: `"timeout"`.
    public var code: String { names.code }

    /// The ``code`` and the number of the case, neither of which ever changes, and its ``kind``.
    var names: (code: String, number: Int, kind: ErrorKind) {
        switch self {
        case .invalidURL: ("invalid_url", 1, .invalidURL)
        case .invalidRequest: ("invalid_request", 2, .invalidRequest)
        case .requestFailed(let status, _): ("request_failed", 0, ErrorKind(statusCode: status))
        case .decodingError: ("decoding_error", 3, .decodingFailed)
        case .noData: ("no_data", 4, .noData)
        case .downloadFailed: ("download_failed", 5, .downloadFailed)
        case .uploadFailed: ("upload_failed", 6, .uploadFailed)
        case .noInternetConnection: ("no_internet_connection", 7, .noConnection)
        case .timeout: ("timeout", 8, .timeout)
        case .networkUnavailable: ("network_unavailable", 9, .networkUnavailable)
        case .unknown: ("unknown", 10, .unknown)
        case .cancelled: ("cancelled", 11, .cancelled)
        case .encodingError: ("encoding_error", 12, .encodingFailed)
        case .circuitOpen: ("circuit_open", 13, .circuitOpen)
        case .pinningFailed: ("pinning_failed", 14, .pinningFailed)
        case .bodyNotReplayable: ("body_not_replayable", 15, .bodyNotReplayable)
        case .responseTooLarge: ("response_too_large", 16, .responseTooLarge)
        case .tooManyRedirects: ("too_many_redirects", 17, .tooManyRedirects)
        case .unsupported: ("unsupported", 18, .unsupported)
        }
    }

    /// A stable short name of the cause, for metrics and traces (OpenTelemetry, `error.type`): the code of the ``TransportError`` that the error
    /// holds, such as `"name_not_resolved"` or `"connection_refused"`; for ``unknown(_:)`` with another error, the name of its type; else ``code``.
    public var errorType: String {
        if let error = embeddedError as? TransportError { return error.code.rawValue }
        if case .unknown(let error?) = self { return "\(type(of: error))" }
        return code
    }

    /// Whether the same request may succeed if it is sent again: the network failed, or the server was busy (408, 429) or failed (5xx except
    /// 501 and 505, which are permanent). It does not say whether sending it twice is *safe*.
    public var isRetryable: Bool {
        switch self {
        case .timeout, .networkUnavailable, .noInternetConnection: true
        case .requestFailed(let status, _):
            status == 408 || status == 429 || (500..<600).contains(status) && status != 501 && status != 505
        case .unknown(let error): (error as? TransportError)?.isTransient ?? false
        default: false
        }
    }

    /// Whether the caller cancelled, which usually needs no message.
    public var isCancellation: Bool { self == .cancelled }

    /// The status code of ``requestFailed(statusCode:data:)``.
    public var statusCode: Int? { if case .requestFailed(let status, _) = self { status } else { nil } }

    /// The embedded error, or nil if there is none.
    public var embeddedError: (any Error)? {
        switch self {
        case .decodingError(let error), .encodingError(let error): error
        case .downloadFailed(let error), .uploadFailed(let error), .unknown(let error), .invalidRequest(let error),
            .timeout(let error), .networkUnavailable(let error):
            error
        default: nil
        }
    }

    /// Returns the same error with an embedded error, if its case has an empty place for one.
    func embedding(_ error: (any Error)?) -> NetworkError {
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

    /// The kind of the error, in a finer list that distinguishes statuses.
    public var kind: ErrorKind { names.kind }
}

extension NetworkError: SecretFreeError, CustomStringConvertible, CustomReflectable {
    /// One line for a log: the ``code`` and the details, without secrets and body. Of a URL, only host and port. ``unknown(_:)`` shows its error.
    public var description: String {
        if case .requestFailed(let status, let data) = self {
            let hint = SchemeMismatch(status: status, body: data).map { ". \($0.hint)" } ?? ""
            return "\(code): status \(status)\(hint)"
        }
        guard let detail = detail?.withoutSecrets else { return code }
        if case .unknown = self { return detail }
        return "\(code): \(detail)"
    }

    /// Shows only the description, so that `dump` does not show the body either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// The details of the case beyond its code and status.
    var detail: String? {
        switch self {
        case .circuitOpen(let host, let until): "\(host) until \(until)".onOneLine
        case .pinningFailed(let host): host.onOneLine
        case .responseTooLarge(let limit): "over \(limit) bytes"
        case .unsupported(let advice): advice.onOneLine
        default: embeddedError.map(Self.detail(of:))
        }
    }

    /// Returns a transport error with the host instead of the URL, since a path may be secret.
    private static func detail(of error: any Error) -> String {
        guard let error = error as? TransportError else { return secretFreeText(of: error) }
        return error.summary + (error.url?.authority.map { " (\(SanitizedText.host($0)))" } ?? "")
    }
}

// Texts for users in English, German, Spanish, French, Italian, Dutch, Polish and both kinds of Portuguese.
extension NetworkError: LocalizedError {
    /// A sentence for the user, in the user's language, with server, phase and reason if known. It holds no secret, and of a URL only host and port.
    ///
    /// The language is the first of the user's languages that has texts, else English. Apple platforms use `Locale.preferredLanguages`,
    /// others `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG`, which Foundation does not read. ``localizedDescription(in:)`` uses another
    /// language. For logs use ``description``, which is always in English.
    public var errorDescription: String? { ErrorSentences(self).text(in: .current) }

    /// The reason, as a second sentence in the user's language.
    public var failureReason: String? { ErrorSentences(self).reason(in: .current) }

    /// The user's remedy, in the user's language, or nil if there is none.
    public var recoverySuggestion: String? { suggestion(in: .current) }

    /// ``errorDescription`` in another language.
    ///
    /// - Parameter locale: its language counts, and the region for Portuguese: `Locale(identifier: "pt-PT")`. English if it has no texts.
    public func localizedDescription(in locale: Locale) -> String { ErrorSentences(self).text(in: .init(locale)) }
    /// ``failureReason`` in another language: see ``localizedDescription(in:)``.
    public func failureReason(in locale: Locale) -> String { ErrorSentences(self).reason(in: .init(locale)) }
    /// ``recoverySuggestion`` in another language: see ``localizedDescription(in:)``.
    public func recoverySuggestion(in locale: Locale) -> String? { suggestion(in: .init(locale)) }
}

extension NetworkFailure: LocalizedError {
    /// A sentence for the user, in the user's language, with the server and the reason, even if only the failure knows them.
    public var errorDescription: String? { ErrorSentences(self).text(in: .current) }
    /// The reason, as a second sentence in the user's language.
    public var failureReason: String? { ErrorSentences(self).reason(in: .current) }
    /// The user's remedy, in the user's language, or nil if there is none.
    public var recoverySuggestion: String? { cause.recoverySuggestion }

    /// ``errorDescription`` in another language: see ``NetworkError/localizedDescription(in:)``.
    public func localizedDescription(in locale: Locale) -> String { ErrorSentences(self).text(in: .init(locale)) }
    /// ``failureReason`` in another language.
    public func failureReason(in locale: Locale) -> String { ErrorSentences(self).reason(in: .init(locale)) }
    /// ``recoverySuggestion`` in another language.
    public func recoverySuggestion(in locale: Locale) -> String? { cause.recoverySuggestion(in: locale) }
}

extension ErrorLanguage { fileprivate init(_ locale: Locale) { self.init(preferred: [locale.identifier]) } }
