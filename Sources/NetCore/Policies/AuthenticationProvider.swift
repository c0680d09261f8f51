/// Adds credentials to requests, and refreshes them when a server refuses them.
///
/// Use an actor or a class with a lock, so that all clients that use the provider share its state. A structure's state is shared only
/// within the `AuthInterceptor` or client that it was given to.
///
/// The client calls ``reauthenticate()`` once for all requests that were refused with the same credentials, and then sends each of them once more.
///
/// ```swift
/// actor BearerTokens: AuthenticationProvider {
///     private var token = "first"
///     func authenticate(_ request: inout URLRequest) async throws {
///         request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
///     }
///     func reauthenticate() async throws { token = "second" }
/// }
/// ```
public protocol AuthenticationProvider: ProtocolDefaults.AuthenticationProviderMembers {
    /// Adds the current credentials to a request. Called when the request is prepared, before the cache, and again for each later attempt
    /// with the request as it was before.
    func authenticate(_ request: inout URLRequest) async throws

    /// Renews the credentials for all requests that were refused. If it throws, they fail with that error.
    ///
    /// Its own requests may use the same client: they are sent without credentials and without waiting. Requests in a `Task.detached`
    /// cannot be recognised; send those with another client, or with `NoAuthProvider`.
    func reauthenticate() async throws

    /// Whether the credentials have expired or are about to. The client then calls ``reauthenticate()`` once for all waiting requests
    /// before it sends them. Called before every attempt, so return quickly.
    ///
    /// - Parameter now: the date by the client's clock.
    func needsReauthentication(at now: Date) async -> Bool

    /// Whether the credentials belong to a URL, for clients of several hosts. Other requests get no credentials, and a refusal there
    /// refreshes nothing. This can only narrow the client's rule, which is the origin of the call.
    func covers(_ url: URL) -> Bool

    /// The stable name of the credentials' owner, or nil if unknown: see ``RequestContext/identity``.
    var partition: String? { get }
}

extension ProtocolDefaults {
    /// The members of an ``AuthenticationProvider`` that have a default, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol AuthenticationProviderMembers: Sendable {
        associatedtype DeclaredExpiryError: Error = Never
        associatedtype DeclaredCoverageError: Error = Never
        associatedtype DeclaredPartition: Sendable = String?

        /// The requirement of an ``AuthenticationProvider``, with the declared error.
        func needsReauthentication(at now: Date) async throws(DeclaredExpiryError) -> Bool
        /// The requirement of an ``AuthenticationProvider``, with the declared error.
        func covers(_ url: URL) throws(DeclaredCoverageError) -> Bool
        var partition: DeclaredPartition { get }
    }
}

extension AuthenticationProvider where DeclaredPartition == String? { public var partition: String? { nil } }

extension AuthenticationProvider where DeclaredPartition == String {
    public var partition: String? { partition as String }
}

extension AuthenticationProvider {
    /// False: the client waits for a refusal.
    public func needsReauthentication(at now: Date) async -> Bool where DeclaredExpiryError == Never { false }
    public func covers(_ url: URL) -> Bool where DeclaredCoverageError == Never { true }
}

/// Adds no credentials.
public struct NoAuthProvider: AuthenticationProvider {
    public init() {}
    public func authenticate(_ request: inout URLRequest) async throws {}
    public func reauthenticate() async throws {}
}

extension AuthenticationProvider where Self == NoAuthProvider {
    /// Adds no credentials.
    public static var none: NoAuthProvider { NoAuthProvider() }
}

/// Provides bearer tokens (RFC 6750).
public protocol TokenProvider: ProtocolDefaults.TokenProviderMembers {
    /// Returns the current token without refreshing it, for the cache lookup, or nil if there is none.
    ///
    /// The default, nil, uses the last token that ``validToken()`` or ``refreshToken()`` returned to the client.
    func currentToken() async -> String?

    /// Returns a token to send. It may refresh one that is about to expire.
    func validToken() async throws -> String

    /// Returns a new token after a server has refused the last one.
    func refreshToken() async throws -> String
}

extension ProtocolDefaults {
    /// The member of a ``TokenProvider`` that has a default, in the type that the conforming type gives it: see ``ProtocolDefaults/EndpointMembers``.
    public protocol TokenProviderMembers: Sendable {
        associatedtype DeclaredToken: Sendable = String?
        associatedtype DeclaredTokenError: Error = Never

        /// The requirement of a ``TokenProvider``, in the declared types.
        func currentToken() async throws(DeclaredTokenError) -> DeclaredToken
    }
}

extension TokenProvider {
    public func currentToken() async -> String? where DeclaredToken == String?, DeclaredTokenError == Never { nil }

    public func currentToken() async -> String?
    where DeclaredToken == String, DeclaredTokenError == Never { await currentToken() as String }
}

/// An error of a refresh while the credentials are unavailable but may be valid. The call fails with it, and not with the server's refusal.
package protocol CredentialsUnavailable: Error {}

/// The authentication provider of a call, or nil for the client's.
package enum AuthenticationProviderKey: RequestContext.Key {
    package static let defaultValue: (any AuthenticationProvider)? = nil
}

/// The retry policy of a call, or nil for the client's.
package enum RetryPolicyKey: RequestContext.Key { package static let defaultValue: RetryPolicy? = nil }

/// Whether the client follows redirects in a call. If false, the caller gets the redirect as the response.
package enum FollowsRedirectsKey: RequestContext.Key { package static let defaultValue = true }

/// The byte at which a request continues a transfer that was interrupted, or nil. Loggers tell it.
package enum ResumptionKey: RequestContext.Key { package static let defaultValue: Int64? = nil }
