import NetCore

/// Why a session cannot be had, in the words of ``SessionAuthenticator``.
public enum SessionError: Error, Hashable, Sendable {
    /// There is no session, or it was removed while it was being refreshed.
    case notSignedIn
    /// The access token was refused, and there is no refresh token to get another one with.
    case notRefreshable
    /// The server refused the refresh token. Throw it from a refresh of your own to sign the user out.
    case refreshRefused

    /// A short name of the case that never changes, for logs.
    public var code: String {
        switch self {
        case .notSignedIn: "not_signed_in"
        case .notRefreshable: "session_not_refreshable"
        case .refreshRefused: "refresh_refused"
        }
    }
}

extension SessionError: SecretFreeError, LocalizedError {
    /// Code and what to do.
    public var description: String { "\(code): sign in again." }
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
