/// Gives requests their credentials, and gets new ones when a server refuses them (seed 001).
///
/// Make it an actor or a class with a lock, and the state of its credentials is known wherever it is used, in one client or in
/// several. What is known of a structure's is known only where it was given to an `AuthInterceptor` or a client.
///
/// The client calls ``reauthenticate()`` once for all requests that were refused with the same credentials, however many they
/// are, and sends each of them once more.
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
public protocol AuthenticationProvider: Sendable {
    /// Puts the credentials at hand into a request. Called when the request is prepared, before the cache, and again for each later attempt,
    /// with the request as it was before the last one.
    func authenticate(_ request: inout URLRequest) async throws

    /// Gets new credentials, for all requests that were refused with the present ones. What it throws ends them.
    ///
    /// Its own requests may go through the same client: they are sent without credentials, and wait for nobody. Requests made
    /// in a `Task.detached` cannot be told from others; give those to another client, or `NoAuthProvider` as their provider.
    func reauthenticate() async throws

    /// Whether the credentials have expired, or will so soon that it is not worth sending them: then ``reauthenticate()`` is
    /// called before the request is sent, once for all that come. Asked before every attempt: be quick.
    ///
    /// - Parameter now: the date by the client's clock.
    func needsReauthentication(at now: Date) async -> Bool

    /// Whether the credentials belong to a URL. A request to another one goes without, and a refusal there replaces nothing: for
    /// clients that talk to several hosts. It can only narrow what the client allows, which is the origin of the call.
    func covers(_ url: URL) -> Bool

    /// The stable name of the owner of the credentials: see ``RequestContext/identity``. Nil if that is not known.
    var partition: String? { get }
}

extension AuthenticationProvider {
    /// No: a server's refusal will tell.
    public func needsReauthentication(at now: Date) async -> Bool { false }

    /// Yes: whatever the call goes to.
    public func covers(_ url: URL) -> Bool { true }

    /// Not known.
    public var partition: String? { nil }
}

/// Adds nothing: for servers, or single requests, that need no credentials (seed 001).
public struct NoAuthProvider: AuthenticationProvider {
    /// A provider of nothing.
    public init() {}

    /// Leaves the request as it is.
    public func authenticate(_ request: inout URLRequest) async throws {}

    /// Does nothing.
    public func reauthenticate() async throws {}
}

extension AuthenticationProvider where Self == NoAuthProvider {
    /// Adds nothing.
    public static var none: NoAuthProvider { NoAuthProvider() }
}

/// Gives bearer tokens (RFC 6750).
public protocol TokenProvider: Sendable {
    /// The token at hand, without refreshing it: what the client looks into its cache with. Nil if there is none yet.
    ///
    /// By default the last token that ``validToken()`` or ``refreshToken()`` gave to the client.
    func currentToken() async -> String?

    /// A token to send. It may refresh one that is about to expire.
    func validToken() async throws -> String

    /// A new token, after a server has refused the last one.
    func refreshToken() async throws -> String
}

extension TokenProvider {
    /// Nil, which stands for the last token that the client has seen.
    public func currentToken() async -> String? { nil }
}

/// An error that says nothing against the credentials: they are out of reach for now, and may well be good. A refresh that ends with it
/// is reported as it is, and not as the refusal that asked for it.
package protocol CredentialsUnavailable: Error {}

/// The provider that one call brought along; nil for the client's own.
package enum AuthenticationProviderKey: RequestContextKey {
    package static let defaultValue: (any AuthenticationProvider)? = nil
}

/// How many times this call may be sent again, beside the client's policy.
package enum RetryCountKey: RequestContextKey {
    package static let defaultValue = 0
}

/// The policy of one call, in place of the client's; nil for the client's own.
package enum RetryPolicyKey: RequestContextKey {
    package static let defaultValue: RetryPolicy? = nil
}

/// Whether the client follows redirects for this call. If false, the caller gets the redirect as the response.
package enum FollowsRedirectsKey: RequestContextKey {
    package static let defaultValue = true
}

/// Marks the tasks in which credentials are got, so that the requests which they make wait for nothing that waits for them.
///
/// Authentication sends such requests on as they are. Whoever has requests wait for each other (a limit on how many are sent
/// at once) has to let them by as well: those that hold its places may be waiting for the credentials.
package enum RefreshScope {
    /// What is being refreshed, the outermost first.
    @TaskLocal package static var refreshers: [ObjectIdentifier] = []

    /// Whether this task gets credentials for requests that wait for them.
    package static var isActive: Bool { !refreshers.isEmpty }
}
