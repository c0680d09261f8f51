/// A ``NetworkError`` with its context: the request, the response, the underlying error and the attempt.
///
/// `NetworkClient` throws it; `Networking` returns it in ``NetworkResponse/failure``. The snapshots show the failed hop and attempt *as
/// sent*: with the headers that interceptors added, and with secret values redacted.
public struct NetworkFailure: Error, Sendable {
    /// The error. It holds the ``underlyingError`` if its case has an associated value for one.
    public var cause: NetworkError { fields.value.cause }
    /// The request that failed, as sent.
    public var request: RequestSnapshot? { fields.value.request }
    /// The response, or nil if there was none.
    public var response: ResponseSnapshot? { fields.value.response }
    /// The underlying error: a ``TransportError``, a `DecodingError`, a plugin's error.
    public var underlyingError: (any Error)? { fields.value.underlyingError }
    public var timestamp: Date { fields.value.timestamp }
    /// How many times the request had been sent before: 0 for the first attempt. Nil if nothing was sent.
    public var retryAttempt: Int? { fields.value.retryAttempt }
    /// The failures of the earlier attempts, and the reason why there was no further one.
    public package(set) var retryTrace: RetryTrace {
        _read { yield fields.value.retryTrace }
        _modify { yield &fields.value.retryTrace }
    }
    /// The data with which `BackgroundTransfers` continues a failed download, or nil if it cannot. Store it like a secret: it contains the request.
    public package(set) var resumeData: Data? {
        get { fields.value.resumeData }
        set { fields.value.resumeData = newValue }
    }
    /// The resume data as the system gave it. `userInfo` has it, as a `URLError` of Apple's would.
    package var systemResumeData: Data? {
        get { fields.value.systemResumeData }
        set { fields.value.systemResumeData = newValue }
    }

    private struct Fields: Sendable {
        var cause: NetworkError
        var request: RequestSnapshot?
        var response: ResponseSnapshot?
        var underlyingError: (any Error)?
        var timestamp: Date
        var retryAttempt: Int?
        var retryTrace: RetryTrace = RetryTrace()
        var resumeData: Data?
        var systemResumeData: Data?
    }

    private var fields: Boxed<Fields>

    /// - Parameters:
    ///   - cause: the error.
    ///   - request: the request as sent, if it was.
    ///   - response: the response, if there was one.
    ///   - underlyingError: the underlying error. With nil, the error that the cause holds.
    ///   - timestamp: the time of the failure.
    ///   - retryAttempt: the failed attempt: 0 is the first, 1 its first retry.
    public init(
        cause: NetworkError, request: RequestSnapshot? = nil, response: ResponseSnapshot? = nil,
        underlyingError: (any Error)? = nil, timestamp: Date = Date(), retryAttempt: Int? = nil
    ) {
        // An error while reading a body lacks the URL.
        let underlyingError = (underlyingError as? TransportError)?.adding(url: request?.url) ?? underlyingError
        fields = Boxed(
            Fields(
                cause: cause.embedding(underlyingError), request: request, response: response,
                underlyingError: underlyingError ?? cause.embeddedError, timestamp: timestamp,
                retryAttempt: retryAttempt))
    }

    /// The kind of the error, in a finer list than the cases of ``NetworkError``.
    public var kind: ErrorKind {
        cause == .noData && response.map { [204, 205].contains($0.statusCode) } == true ? .noContent : cause.kind
    }
    /// A stable short name of the cause: see ``NetworkError/code``.
    public var code: String { cause.code }
    /// A stable short name of the cause, in a finer list: see ``NetworkError/errorType``.
    public var errorType: String { cause.errorType }
    /// Whether a retry may help: see ``NetworkError/isRetryable``.
    public var isRetryable: Bool { cause.isRetryable }
    public var isCancellation: Bool { cause.isCancellation }
    /// The status of the response, or nil if there was none.
    public var statusCode: Int? { response?.statusCode ?? cause.statusCode }
    /// The underlying error if it is a transport's.
    public var transportError: TransportError? { underlyingError as? TransportError }
}

extension NetworkFailure: Equatable, SecretFreeError, CustomStringConvertible, CustomReflectable {
    /// Compares the causes. Context and embedded errors are ignored, as in ``NetworkError``.
    public static func == (lhs: NetworkFailure, rhs: NetworkFailure) -> Bool { lhs.cause == rhs.cause }

    /// One line for a log: code, request, status, attempt, the title of ``problemDetails`` and the underlying error, without secrets and
    /// without another part of a body. An unknown error is named by its underlying error.
    public var description: String {
        let isUnknown = if case .unknown = cause { true } else { false }
        var parts = [code]
        var detail: String?
        if request != nil, let transportError {
            if isUnknown { parts = [transportError.code.rawValue] }
            detail = isUnknown ? transportError.circumstances : transportError.summary
        } else {
            detail = underlyingError.map(secretFreeText(of:)) ?? cause.detail
            if isUnknown, let text = detail { (parts, detail) = ([text], nil) }
        }
        if let request { parts.append(request.description) }
        if let statusCode { parts.append("status \(statusCode)") }
        if let retryAttempt, retryAttempt > 0 { parts.append("retry \(retryAttempt)") }
        if let title = problemDetails?.shownTitle { parts.append(title) }
        if let detail { parts.append(detail) }
        return parts.joined(separator: ", ").withoutSecrets
    }

    /// Shows only the description, so that `dump` does not show the body either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

// Failures for tests and stubs: `stubError(GetUser.self, error: .notFound())`.
extension NetworkFailure {
    /// A failure because of a URL without a host, or with a scheme other than http and https.
    public static func invalidURL() -> NetworkFailure { NetworkFailure(cause: .invalidURL) }
    /// The request could not be built.
    public static func invalidRequest(_ message: String = "") -> NetworkFailure {
        NetworkFailure(cause: .invalidRequest, underlyingError: RequestBuildingError(message))
    }
    /// The device is offline.
    public static func noConnection() -> NetworkFailure { NetworkFailure(cause: .noInternetConnection) }
    /// A timeout passed.
    public static func timeout() -> NetworkFailure { NetworkFailure(cause: .timeout) }
    /// 401.
    public static func unauthorized(data: Data? = nil) -> NetworkFailure { of(401, data) }
    /// 403.
    public static func forbidden(data: Data? = nil) -> NetworkFailure { of(403, data) }
    /// 404.
    public static func notFound(data: Data? = nil) -> NetworkFailure { of(404, data) }
    /// 204, although a body was required.
    public static func noContent() -> NetworkFailure {
        NetworkFailure(cause: .noData, response: ResponseSnapshot(statusCode: 204, headers: HTTPHeaders()))
    }
    /// 429.
    public static func rateLimited(data: Data? = nil) -> NetworkFailure { of(429, data) }
    /// 502.
    public static func badGateway(data: Data? = nil) -> NetworkFailure { of(502, data) }
    /// 503.
    public static func serviceUnavailable(data: Data? = nil) -> NetworkFailure { of(503, data) }
    /// 504.
    public static func gatewayTimeout(data: Data? = nil) -> NetworkFailure { of(504, data) }
    /// A status from 500 to 599.
    public static func serverError(statusCode: Int = 500, data: Data? = nil) -> NetworkFailure { of(statusCode, data) }
    /// A status from 400 to 499.
    public static func clientError(statusCode: Int = 400, data: Data? = nil) -> NetworkFailure { of(statusCode, data) }
    /// The response's body could not be decoded.
    public static func decodingFailed(_ error: any Error) -> NetworkFailure { .init(cause: .decodingError(error)) }
    /// The request's body could not be encoded.
    public static func encodingFailed(_ error: any Error) -> NetworkFailure { .init(cause: .encodingError(error)) }
    /// A failure because the task or the call was cancelled.
    public static func cancelled() -> NetworkFailure { NetworkFailure(cause: .cancelled) }
    /// A failure of another kind, over the error that caused it.
    public static func unknown(_ error: (any Error)? = nil) -> NetworkFailure { NetworkFailure(cause: .unknown(error)) }

    private static func of(_ status: Int, _ data: Data?) -> NetworkFailure {
        NetworkFailure(
            cause: .requestFailed(statusCode: status, data: data),
            response: ResponseSnapshot(statusCode: status, headers: HTTPHeaders(), body: data))
    }
}
