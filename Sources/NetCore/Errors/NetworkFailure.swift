/// A ``NetworkError`` with its context: which request, which response, what lay beneath, which attempt (seed 003).
///
/// `NetworkClient` throws it; `Networking` keeps it in ``NetworkResponse/failure``. The snapshots are of the hop and the
/// attempt that failed, *as sent*: with the headers that interceptors added, and without the values that are secret.
public struct NetworkFailure: Error, Sendable {
    /// What went wrong. It holds the ``underlyingError`` where its case has a place for one.
    public let cause: NetworkError
    /// The request that failed, as it was sent.
    public let request: RequestSnapshot?
    /// The response, if there was one.
    public let response: ResponseSnapshot?
    /// What lay beneath: a ``TransportError``, a `DecodingError`, what a plugin threw.
    public let underlyingError: (any Error)?
    /// When it happened.
    public let timestamp: Date
    /// How many times the request had been sent again before this attempt: 0 for the first. Nil if nothing was sent.
    public let retryAttempt: Int?
    /// Why the attempts before this one failed, if there were any, and why there was no further one.
    public package(set) var retryTrace = RetryTrace()

    /// A failure.
    ///
    /// - Parameters:
    ///   - cause: what went wrong.
    ///   - request: the request as it was sent, if one was.
    ///   - response: the response, if there was one.
    ///   - underlyingError: nil takes the error that the cause holds, if it holds one.
    ///   - timestamp: when it went wrong.
    ///   - retryAttempt: which attempt failed: 0 is the first, 1 its first retry.
    public init(
        cause: NetworkError,
        request: RequestSnapshot? = nil,
        response: ResponseSnapshot? = nil,
        underlyingError: (any Error)? = nil,
        timestamp: Date = Date(),
        retryAttempt: Int? = nil
    ) {
        // What reads a body does not know whose it is.
        let underlyingError = (underlyingError as? TransportError)?.adding(url: request?.url) ?? underlyingError
        self.cause = cause.holding(underlyingError)
        self.request = request
        self.response = response
        self.underlyingError = underlyingError ?? cause.embeddedError
        self.timestamp = timestamp
        self.retryAttempt = retryAttempt
    }

    /// The kind, in the list of seed 003.
    public var kind: ErrorKind {
        cause == .noData && response.map { [204, 205].contains($0.statusCode) } == true ? .noContent : cause.kind
    }
    /// A short name of the cause that never changes: see ``NetworkError/code``.
    public var code: String { cause.code }
    /// Whether sending it again may help: see ``NetworkError/isRetryable``.
    public var isRetryable: Bool { cause.isRetryable }
    /// Whether the caller cancelled.
    public var isCancellation: Bool { cause.isCancellation }
    /// The status of the response, if there was one.
    public var statusCode: Int? { response?.statusCode ?? cause.statusCode }
    /// The transport's error, if one lies beneath.
    public var transportError: TransportError? { underlyingError as? TransportError }
}

extension NetworkFailure: Equatable {
    /// Compares the causes. Context and embedded errors are ignored, as in ``NetworkError``.
    public static func == (lhs: NetworkFailure, rhs: NetworkFailure) -> Bool {
        lhs.cause == rhs.cause
    }
}

extension NetworkFailure: CustomStringConvertible, CustomReflectable {
    /// One line for a log: code, request, status, attempt and what lay beneath. No secret and no body is in it.
    public var description: String {
        var parts = [code]
        if let request { parts.append(request.description) }
        if let statusCode { parts.append("status \(statusCode)") }
        if let retryAttempt, retryAttempt > 0 { parts.append("retry \(retryAttempt)") }
        if request != nil, let transportError {
            parts.append(transportError.summary)
        } else if let detail = underlyingError.map(secretFreeText(of:)) ?? cause.detail {
            parts.append(detail)
        }
        return parts.joined(separator: ", ").withoutSecrets
    }

    /// Shows the description alone, so that `dump` does not show the body either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

// Failures by name, for tests and for stubs (seed 003): `stubError(GetUser.self, error: .notFound())`.
extension NetworkFailure {
    /// The URL is malformed.
    public static func invalidURL() -> NetworkFailure { NetworkFailure(cause: .invalidURL) }
    /// The request could not be built.
    public static func invalidRequest(_ message: String = "") -> NetworkFailure {
        NetworkFailure(cause: .invalidRequest, underlyingError: RequestBuildingError(message))
    }
    /// The device is offline.
    public static func noConnection() -> NetworkFailure { NetworkFailure(cause: .noInternetConnection) }
    /// A timeout ran out.
    public static func timeout() -> NetworkFailure { NetworkFailure(cause: .timeout) }
    /// 401.
    public static func unauthorized(data: Data? = nil) -> NetworkFailure { status(401, data: data) }
    /// 403.
    public static func forbidden(data: Data? = nil) -> NetworkFailure { status(403, data: data) }
    /// 404.
    public static func notFound(data: Data? = nil) -> NetworkFailure { status(404, data: data) }
    /// 204, where a body was needed.
    public static func noContent() -> NetworkFailure {
        NetworkFailure(cause: .noData, response: ResponseSnapshot(statusCode: 204, headers: HTTPHeaders()))
    }
    /// 429.
    public static func rateLimited(data: Data? = nil) -> NetworkFailure { status(429, data: data) }
    /// 502.
    public static func badGateway(data: Data? = nil) -> NetworkFailure { status(502, data: data) }
    /// 503.
    public static func serviceUnavailable(data: Data? = nil) -> NetworkFailure { status(503, data: data) }
    /// 504.
    public static func gatewayTimeout(data: Data? = nil) -> NetworkFailure { status(504, data: data) }
    /// A status from 500 to 599.
    public static func serverError(statusCode: Int = 500, data: Data? = nil) -> NetworkFailure {
        status(statusCode, data: data)
    }
    /// A status from 400 to 499.
    public static func clientError(statusCode: Int = 400, data: Data? = nil) -> NetworkFailure {
        status(statusCode, data: data)
    }
    /// The body could not be decoded.
    public static func decodingFailed(_ error: any Error) -> NetworkFailure {
        NetworkFailure(cause: .decodingError(error))
    }
    /// The request's body could not be encoded.
    public static func encodingFailed(_ error: any Error) -> NetworkFailure {
        NetworkFailure(cause: .encodingError(error))
    }
    /// The task was cancelled.
    public static func cancelled() -> NetworkFailure { NetworkFailure(cause: .cancelled) }
    /// Anything else.
    public static func unknown(_ error: (any Error)? = nil) -> NetworkFailure { NetworkFailure(cause: .unknown(error)) }

    private static func status(_ code: Int, data: Data?) -> NetworkFailure {
        NetworkFailure(
            cause: .requestFailed(statusCode: code, data: data),
            response: ResponseSnapshot(statusCode: code, headers: HTTPHeaders(), body: data)
        )
    }
}
