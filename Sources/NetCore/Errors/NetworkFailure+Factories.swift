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
