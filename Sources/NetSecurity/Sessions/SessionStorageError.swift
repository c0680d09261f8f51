import NetCore

/// Why sessions could not be read or written. That there is none is no error, and an error never means that there is none.
///
/// Do not sign a user out because of one: the session may well be there when the device is unlocked.
public enum SessionStorageError: Error, Hashable, Sendable {
    /// Not now: the disk is full, the user did not authenticate, the system refused. Trying again later may help.
    case unavailable(String)
    /// Not now: the device, or on macOS the login keychain, is locked (`errSecInteractionNotAllowed`). Trying again after it is unlocked
    /// helps.
    case locked(String)
    /// Others could read or change what is stored, so it was not touched: wider permissions, another owner, a symbolic link.
    case insecure(String)
    /// Something is stored, and it is no session: damaged, or sealed with another key. Signing in anew replaces it.
    case unreadable(String)
    /// This system has no such storage, or no library to seal with.
    case unsupported(String)

    /// A short name of the case that never changes, for logs.
    public var code: String {
        switch self {
        case .unavailable: "storage_unavailable"
        case .locked: "storage_locked"
        case .insecure: "storage_insecure"
        case .unreadable: "storage_unreadable"
        case .unsupported: "storage_unsupported"
        }
    }

    /// What happened and what to do, without tokens.
    public var message: String {
        switch self {
        case .unavailable(let text), .locked(let text), .insecure(let text), .unreadable(let text),
            .unsupported(let text):
            text
        }
    }

    /// Whether the session may well be there, and trying again later may help: ``unavailable(_:)`` and ``locked(_:)``.
    public var isTemporary: Bool {
        switch self {
        case .unavailable, .locked: true
        case .insecure, .unreadable, .unsupported: false
        }
    }

    /// Takes an error of a storage of somebody's own: what is not said to be anything else, may pass.
    init(_ error: any Error) {
        self = error as? SessionStorageError ?? .unavailable("The storage failed: \(secretFreeText(of: error)).")
    }
}

extension SessionStorageError: SecretFreeError, CredentialsUnavailable, LocalizedError {
    /// Code and message.
    public var description: String { "\(code): \(message)".onOneLine }
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
