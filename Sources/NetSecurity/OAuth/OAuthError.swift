public import NetCore

/// Why a token could not be had, in one enum for all flows of ``OAuthClient``.
///
/// No description holds a token, a code, a secret, or the words of the server.
public enum OAuthError: Error, Sendable {
    /// The server said no (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5).
    case server(OAuthErrorResponse)
    /// The server could not be reached, or answered with a status and no OAuth error.
    case network(NetworkFailure)
    /// What came back to the redirect URI is no answer to the request.
    case invalidCallback
    /// The `state` that came back is not the one that was sent: somebody else's answer (RFC 6749, section 10.12).
    case stateMismatch
    /// The answer, or the discovery document, names another server than the one that was asked (RFC 9207, RFC 8414).
    case issuerMismatch
    /// The ID token is not meant for this request; the text says why (OpenID Connect Core, section 3.1.3.7).
    case invalidIDToken(String)
    /// The server's answer cannot be read; the text says what is missing.
    case malformedResponse(String)
    /// A token, device or revocation endpoint redirects. Requests with secrets follow no redirect, since a response from another
    /// server would become the tokens (RFC 9700, section 4.12). The status is the response's.
    case endpointRedirected(statusCode: Int)
    /// An endpoint is neither https nor on this machine.
    case insecureEndpoint
    /// The server, or this client's configuration, has not got what the flow needs.
    case unsupported(String)
    /// The user took too long.
    case timedOut
    /// The user, or the task, cancelled.
    case cancelled
    /// A web step of somebody's own failed.
    case webStepFailed(any Error)
    /// The tokens could not be stored.
    case storage(SessionStorageError)

    /// A short name that never changes, for logs: the server's own code for ``server(_:)``.
    public var code: String {
        switch self {
        case .server(let response): response.code.rawValue
        case .network: "network"
        case .invalidCallback: "invalid_callback"
        case .stateMismatch: "state_mismatch"
        case .issuerMismatch: "issuer_mismatch"
        case .invalidIDToken: "invalid_id_token"
        case .malformedResponse: "malformed_response"
        case .endpointRedirected: "endpoint_redirected"
        case .insecureEndpoint: "insecure_endpoint"
        case .unsupported: "unsupported"
        case .timedOut: "timed_out"
        case .cancelled: "cancelled"
        case .webStepFailed: "web_step_failed"
        case .storage(let error): error.code
        }
    }

    /// Whether the refresh token is worth nothing any more: `invalid_grant`.
    public var endsSession: Bool {
        if case .server(let response) = self { response.code == .invalidGrant } else { false }
    }

    /// What kept the server from answering, if that may pass: not the server's word on a user.
    var outage: NetworkFailure? {
        if case .network(let failure) = self, failure.isRetryable { failure } else { nil }
    }

    /// Takes what a web step threw.
    init(webStep error: any Error) {
        switch error {
        case let error as OAuthError: self = error
        case is CancellationError: self = .cancelled
        default: self = .webStepFailed(error)
        }
    }
}

extension OAuthError: SecretFreeError, LocalizedError {
    /// One line for a log.
    public var description: String {
        let detail: String? =
            switch self {
            case .server(let response): "status \(response.statusCode.map(String.init) ?? "none")"
            case .network(let failure): failure.description
            case .invalidIDToken(let text), .malformedResponse(let text), .unsupported(let text): text
            case .endpointRedirected(let status):
                "status \(status): the endpoint redirects, and secrets follow no redirect. Give OAuthServer the endpoint's final "
                    + "URL, or have the server answer at this one."
            case .insecureEndpoint: "OAuth needs https, but on this machine itself."
            case .webStepFailed(let error): secretFreeText(of: error)
            case .storage(let error): error.message
            default: nil
            }
        return (["OAuth: \(code)"] + (detail.map { [$0] } ?? [])).joined(separator: ", ").onOneLine
    }
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension OAuthError: Equatable {
    /// Compares the case and its plain values. Embedded errors are ignored, as in ``NetworkError``.
    public static func == (lhs: OAuthError, rhs: OAuthError) -> Bool {
        switch (lhs, rhs) {
        case (.server(let left), .server(let right)): left == right
        case (.endpointRedirected(let left), .endpointRedirected(let right)): left == right
        default: lhs.code == rhs.code
        }
    }
}

/// The server's error (RFC 6749, section 5.2).
public struct OAuthErrorResponse: Hashable, Sendable {
    /// The code. Others than the statics are possible.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// As on the wire, such as `"invalid_grant"`.
        public let rawValue: String

        /// A code; of one that is longer than any, the first 100 characters.
        public init(rawValue: String) {
            self.rawValue = String(rawValue.prefix(100))
        }

        /// The request lacks something, or has it twice.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// The client is not known, or its secret is wrong.
        public static let invalidClient = Code(rawValue: "invalid_client")
        /// The code or the refresh token is wrong, used up, or has ended.
        public static let invalidGrant = Code(rawValue: "invalid_grant")
        /// This client may not use this flow.
        public static let unauthorizedClient = Code(rawValue: "unauthorized_client")
        /// The server has not got this flow.
        public static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        /// A scope is unknown, or more than may be had.
        public static let invalidScope = Code(rawValue: "invalid_scope")
        /// The user, or the server, said no.
        public static let accessDenied = Code(rawValue: "access_denied")
        /// The server gives no codes.
        public static let unsupportedResponseType = Code(rawValue: "unsupported_response_type")
        /// The server failed.
        public static let serverError = Code(rawValue: "server_error")
        /// The server is busy.
        public static let temporarilyUnavailable = Code(rawValue: "temporarily_unavailable")
        /// The user has not decided yet (RFC 8628). ``OAuthClient/tokens(for:)`` waits by itself.
        public static let authorizationPending = Code(rawValue: "authorization_pending")
        /// Asked too often (RFC 8628). ``OAuthClient/tokens(for:)`` slows down by itself.
        public static let slowDown = Code(rawValue: "slow_down")
        /// The user took too long (RFC 8628).
        public static let expiredToken = Code(rawValue: "expired_token")
        /// Tokens of that kind cannot be revoked (RFC 7009).
        public static let unsupportedTokenType = Code(rawValue: "unsupported_token_type")
    }

    /// The code.
    public let code: Code
    /// The server's explanation for developers. It may say anything: nothing for users, nor for logs.
    public let explanation: String?
    /// Where more is to be read.
    public let documentation: URL?
    /// The status of the response; nil for an answer that came by redirect.
    public let statusCode: Int?

    /// An error.
    public init(code: Code, explanation: String? = nil, documentation: URL? = nil, statusCode: Int? = nil) {
        self.code = code
        self.explanation = explanation
        self.documentation = documentation
        self.statusCode = statusCode
    }
}

extension OAuthErrorResponse: RedactedReflectable {
    /// Code and status; none of the server's words.
    public var shownFields: KeyValuePairs<String, Any?> { ["code": code.rawValue, "statusCode": statusCode] }
}

extension OAuthError: CustomReflectable {
    /// Has the description as its only child.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
