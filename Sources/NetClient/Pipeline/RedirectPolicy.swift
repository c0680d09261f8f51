/// Which redirects are followed, and how (RFC 9110, section 15.4).
public struct RedirectPolicy: Sendable {
    /// How many are followed for one call; then it fails with ``NetworkError/tooManyRedirects``.
    public var limit: Int
    /// Whether an `https` URL may lead to an `http` one, where anybody on the way can read along.
    public var allowsInsecure: Bool
    /// The names of header fields that follow a redirect to another origin although they count as credentials, in any case of letters.
    /// None unless set: a field of the caller's belongs to the origin it was set for.
    public var crossOriginFields: Set<String> = []
    /// Asked before each redirect is followed; nil follows all that the rules permit.
    public var decide: (@Sendable (RedirectProposal) async throws -> RedirectDecision)?

    /// A policy.
    ///
    /// - Parameters:
    ///   - limit: how many are followed; 0 and less means none.
    ///   - allowsInsecure: whether `https` may lead to `http`.
    ///   - decide: asked before each; what it throws ends the call.
    public init(
        limit: Int = 20,
        allowsInsecure: Bool = false,
        decide: (@Sendable (RedirectProposal) async throws -> RedirectDecision)? = nil
    ) {
        self.limit = limit
        self.allowsInsecure = allowsInsecure
        self.decide = decide
    }

    /// Follows up to 20, never from `https` to `http`.
    public static let `default` = RedirectPolicy()
    /// Follows none: the caller gets the redirect as the response, with status 3xx.
    public static let doNotFollow = RedirectPolicy(decide: { _ in .stop })
}

/// A redirect that is about to be followed.
public struct RedirectProposal: Sendable {
    /// The response that redirects.
    public let response: TransportResponse
    /// The request as it would be sent: method rewritten, credentials left out where the origin changes.
    public let request: URLRequest
    /// How many redirects this call has followed already.
    public let count: Int
}

/// What to do with a redirect.
public enum RedirectDecision: Sendable {
    /// Follow it as proposed.
    case follow
    /// Send this request in its place. It is still held to the rules on schemes. Its `httpBody` is the body, if it has one;
    /// else the body goes along if the method is the one that was redirected. Credentials proposed for the same origin do not
    /// go to another; those that you put in do.
    case followWith(URLRequest)
    /// Give the redirect to the caller as the response.
    case stop
}

/// Why a redirect was not followed: beneath ``NetworkError/requestFailed(statusCode:data:)`` with the status 3xx.
public struct RedirectRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule.
    public enum Reason: String, Hashable, Sendable {
        /// From `https` to `http`: see ``RedirectPolicy/allowsInsecure``.
        case insecure
        /// To a scheme other than `http` and `https`.
        case scheme
        /// `Location` is no URL.
        case malformedLocation = "malformed_location"
    }

    /// The rule.
    public let reason: Reason

    /// What is wrong.
    public var description: String {
        switch reason {
        case .insecure: "The server redirects from https to http. RedirectPolicy(allowsInsecure: true) permits it."
        case .scheme: "The server redirects to a scheme other than http and https."
        case .malformedLocation: "The server redirects to something that is no URL."
        }
    }
}

extension RedirectRefusal: SecretFreeError {}
