public import NetCore

/// An error of any flow of ``OAuthClient``.
///
/// Its description contains no token, no code, no secret, and no text of the server.
public enum OAuthError: Error, Sendable {
    /// The server returned an error (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5).
    case server(Response)
    /// The server could not be reached, or answered with an error status and no OAuth error.
    case network(NetworkFailure)
    /// The callback is not an answer to the request.
    case invalidCallback
    /// The `state` of the callback is not the one that was sent, so it answers another request (RFC 6749, section 10.12).
    case stateMismatch
    /// The callback, or the discovery document, names another server (RFC 9207, RFC 8414).
    case issuerMismatch
    /// The ID token is not for this request; the text says why (OpenID Connect Core, section 3.1.3.7).
    case invalidIDToken(String)
    /// The server's response cannot be read; the text says why.
    case malformedResponse(String)
    /// A token, device or revocation endpoint redirects. Requests with secrets follow no redirect, since another server's response
    /// could then supply the tokens (RFC 9700, section 4.12).
    case endpointRedirected(statusCode: Int)
    /// An endpoint is neither https nor on this machine.
    case insecureEndpoint
    /// The server, or this client's configuration, lacks what the flow needs.
    case unsupported(String)
    /// The time limit passed.
    case timedOut
    /// The user cancelled, or the task was cancelled.
    case cancelled
    /// The ``OAuthClient/WebStep`` threw another error.
    case webStepFailed(any Error)
    /// The tokens could not be stored.
    case storage(SessionStorageError)

    /// A stable name for logs: for ``server(_:)`` the server's own code.
    public var code: String {
        switch self {
        case .server(let response): response.code
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

    /// Whether the refresh token is no longer valid: `invalid_grant`.
    public var endsSession: Bool {
        if case .server(let response) = self { response.code == "invalid_grant" } else { false }
    }
}

extension OAuthError: SecretFreeError, LocalizedError, CustomReflectable {
    /// One line for a log.
    public var description: String {
        let detail: String? =
            switch self {
            case .server(let response): "status \(response.statusCode.map(String.init) ?? "none")"
            case .network(let failure): failure.description
            case .invalidIDToken(let text), .malformedResponse(let text), .unsupported(let text): text
            case .endpointRedirected(let status):
                "status \(status): the endpoint redirects, and requests with secrets follow no redirect. Give OAuthClient.Server "
                    + "the endpoint's final URL, or configure the server to answer at this one."
            case .insecureEndpoint: "OAuth requires https, except on this machine."
            case .webStepFailed(let error): secretFreeText(of: error)
            case .storage(let error): error.message
            default: nil
            }
        return "OAuth: \(code)\(detail.map { ", \($0)" } ?? "")".onOneLine
    }
    public var errorDescription: String? { description }

    /// Has the description as its only child.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension OAuthError: Equatable {
    /// Compares the case and its plain values. Ignores embedded errors, as ``NetworkError`` does.
    public static func == (lhs: OAuthError, rhs: OAuthError) -> Bool {
        switch (lhs, rhs) {
        case (.server(let left), .server(let right)): left == right
        case (.endpointRedirected(let left), .endpointRedirected(let right)): left == right
        default: lhs.code == rhs.code
        }
    }

    /// The server's error (RFC 6749, section 5.2).
    public struct Response: Hashable, Sendable, RedactedReflectable {
        /// The error code, at most 100 characters: `"access_denied"`, `"invalid_client"` or any other that the server sends.
        public let code: String
        /// The server's explanation for developers. Unverified text: show it neither to users nor in logs.
        public let explanation: String?
        /// A page with more information.
        public let documentation: URL?
        /// The status of the response; nil for a callback.
        public let statusCode: Int?

        public init(code: String, explanation: String? = nil, documentation: URL? = nil, statusCode: Int? = nil) {
            self.code = String(code.prefix(100))
            self.explanation = explanation
            self.documentation = documentation
            self.statusCode = statusCode
        }

        /// The code and the status, but no text of the server.
        public var shownFields: KeyValuePairs<String, Any?> { ["code": code, "statusCode": statusCode] }
    }
}
