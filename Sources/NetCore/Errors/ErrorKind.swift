/// The kind of an error: what to branch on when the status matters more than the mechanism (seed 003).
///
/// Seed 003's kinds, and one for each case of ``NetworkError`` that it lacks.
public enum ErrorKind: Hashable, Sendable {
    /// The URL is malformed.
    case invalidURL
    /// The request could not be built.
    case invalidRequest
    /// The device is offline.
    case noConnection
    /// The connection was refused, reset or lost.
    case networkUnavailable
    /// A timeout ran out.
    case timeout
    /// 401: credentials are missing or no longer valid.
    case unauthorized
    /// 403: the credentials do not permit it.
    case forbidden
    /// 404: there is no such resource.
    case notFound
    /// 204: a successful answer without a body, where a body was needed.
    case noContent
    /// An empty body with another successful status, where a body was needed.
    case noData
    /// 429: too many requests.
    case rateLimited
    /// 502: a gateway got no valid answer.
    case badGateway
    /// 503: the server is overloaded or down for maintenance.
    case serviceUnavailable
    /// 504: a gateway got no answer in time.
    case gatewayTimeout
    /// Any other status from 500 to 599.
    case serverError(statusCode: Int)
    /// Any other status from 400 to 499.
    case clientError(statusCode: Int)
    /// A status that is neither successful nor an error, such as a redirect that was not to be followed.
    case unexpectedStatus(statusCode: Int)
    /// The body could not be turned into the type asked for.
    case decodingFailed
    /// The request's body or query could not be encoded.
    case encodingFailed
    /// A download could not be completed.
    case downloadFailed
    /// An upload could not be completed.
    case uploadFailed
    /// The task was cancelled.
    case cancelled
    /// The circuit breaker is open.
    case circuitOpen
    /// The server's certificates do not fit.
    case pinningFailed
    /// The body cannot be sent a second time.
    case bodyNotReplayable
    /// The response is over its limit.
    case responseTooLarge
    /// The redirects did not end.
    case tooManyRedirects
    /// The platform, transport or client cannot do it.
    case unsupported
    /// Anything else.
    case unknown

    /// The kind of an error.
    public init(_ error: NetworkError) {
        switch error {
        case .invalidURL: self = .invalidURL
        case .invalidRequest: self = .invalidRequest
        case .requestFailed(let status, _): self.init(statusCode: status)
        case .decodingError: self = .decodingFailed
        case .noData: self = .noData
        case .downloadFailed: self = .downloadFailed
        case .uploadFailed: self = .uploadFailed
        case .noInternetConnection: self = .noConnection
        case .networkUnavailable: self = .networkUnavailable
        case .timeout: self = .timeout
        case .unknown: self = .unknown
        case .cancelled: self = .cancelled
        case .encodingError: self = .encodingFailed
        case .circuitOpen: self = .circuitOpen
        case .pinningFailed: self = .pinningFailed
        case .bodyNotReplayable: self = .bodyNotReplayable
        case .responseTooLarge: self = .responseTooLarge
        case .tooManyRedirects: self = .tooManyRedirects
        case .unsupported: self = .unsupported
        }
    }

    /// The kind of a status that was not accepted.
    public init(statusCode: Int) {
        switch statusCode {
        case 204: self = .noContent
        case 401: self = .unauthorized
        case 403: self = .forbidden
        case 404: self = .notFound
        case 429: self = .rateLimited
        case 502: self = .badGateway
        case 503: self = .serviceUnavailable
        case 504: self = .gatewayTimeout
        case 400..<500: self = .clientError(statusCode: statusCode)
        case 500..<600: self = .serverError(statusCode: statusCode)
        default: self = .unexpectedStatus(statusCode: statusCode)
        }
    }
}
