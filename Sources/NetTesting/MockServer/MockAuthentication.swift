import NetCore

/// How a server asks who is there (RFC 9110, section 11), and what it then accepts.
///
/// ```swift
/// server.on("/account", requiring: .bearer("token-1")) { _ in .text("yours") }
/// ```
///
/// `allCases` has each scheme with the user `user` and the password or token `secret`.
public enum MockAuthentication: Hashable, Sendable, CaseIterable {
    /// A name and a password in Base64 (RFC 7617).
    case basic(user: String, password: String)
    /// A token (RFC 6750).
    case bearer(String)
    /// A proof by SHA-256 of knowing the password (RFC 7616), with `qop=auth`. Each number of a nonce is taken once.
    case digest(user: String, password: String)

    /// Each scheme once.
    public static let allCases: [MockAuthentication] = [
        .basic(user: "user", password: "secret"), .bearer("secret"), .digest(user: "user", password: "secret"),
    ]

    /// The realm of the challenges.
    public static let realm = "mock"
}

extension MockServer {
    /// Answers a path to those who can say who they are; to all others it answers 401 and a challenge.
    ///
    /// - Parameters:
    ///   - path: as in ``on(_:_:_:)-(HTTPMethod?,String,MockResponse)``.
    ///   - authentication: what is asked for.
    ///   - respond: answers those that were let in.
    public func on(_ path: String, requiring authentication: MockAuthentication, respond: @escaping Handler) {
        let guardian = Guardian(authentication)
        on(nil, path) { request in
            if let challenge = guardian.challenge(for: request) { return challenge }
            return try await respond(request)
        }
    }

    /// Answers a path to those who can say who they are: see ``on(_:requiring:respond:)``.
    public func on(_ path: String, requiring authentication: MockAuthentication, _ response: MockResponse) {
        on(path, requiring: authentication) { _ in response }
    }
}
