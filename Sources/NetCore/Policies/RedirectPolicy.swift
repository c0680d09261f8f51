/// The redirects that a client follows, and how (RFC 9110, section 15.4).
public struct RedirectPolicy: Sendable {
    /// The number of redirects that one call may follow. One more fails with ``NetworkError/tooManyRedirects``.
    public var limit: Int
    /// Whether an `https` URL may redirect to an `http` one, which is not encrypted.
    public var allowsInsecure: Bool
    /// The names of header fields that follow a redirect to another origin although they count as credentials. Case does not matter. The
    /// default is empty: a field of the caller belongs to the origin that it was set for.
    public var crossOriginFields: Set<String> = []
    /// Decides about each redirect; nil follows all that the rules permit. An error that it throws fails the call.
    public var decide: (@Sendable (Proposal) async throws -> Decision)? { didSet { followsNone = false } }
    /// Whether the caller gets each redirect as the response, whatever its `Location`: see ``doNotFollow``.
    package private(set) var followsNone = false

    /// Creates a policy. A limit of 0 or less follows no redirect.
    public init(
        limit: Int = 20, allowsInsecure: Bool = false, decide: (@Sendable (Proposal) async throws -> Decision)? = nil
    ) {
        self.limit = limit
        self.allowsInsecure = allowsInsecure
        self.decide = decide
    }

    /// Follows up to 20 redirects, never from `https` to `http`.
    public static let `default` = RedirectPolicy()
    /// Follows none: the caller gets the redirect as the response, with status 3xx.
    public static let doNotFollow: RedirectPolicy = {
        var policy = RedirectPolicy(decide: { _ in .stop })
        policy.followsNone = true
        return policy
    }()

    /// A redirect that a client is about to follow.
    public struct Proposal: Sendable {
        /// The response that redirects.
        public let response: TransportResponse
        /// The request to send next: with the method rewritten, and without credentials if the origin changes.
        public let request: URLRequest
        /// The number of redirects that this call has followed.
        public let count: Int

        package init(response: TransportResponse, request: URLRequest, count: Int) {
            self.response = response
            self.request = request
            self.count = count
        }
    }

    /// The answer to a ``Proposal``.
    public enum Decision: Sendable {
        /// Follows the redirect as proposed.
        case follow
        /// Sends this request instead. The rules on schemes still hold. Its `httpBody` is the body, if set; else the previous body is sent
        /// if the method is the one that was redirected. Credentials that were proposed for the same origin are not sent to another one,
        /// while credentials that you add are.
        case followWith(URLRequest)
        /// Returns the redirect to the caller as the response.
        case stop
    }

    /// The reason why a redirect was not followed: the ``NetworkFailure/underlyingError`` of ``NetworkError/requestFailed(statusCode:data:)``
    /// with the status 3xx.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible, SecretFreeError {
        /// The violated rule.
        public enum Reason: String, Hashable, Sendable {
            /// From `https` to `http`: see ``RedirectPolicy/allowsInsecure``.
            case insecure
            /// To a scheme other than `http` and `https`.
            case scheme
            /// `Location` is not a URL.
            case malformedLocation = "malformed_location"
        }

        /// The violated rule.
        public let reason: Reason

        package init(reason: Reason) { self.reason = reason }

        public var description: String {
            switch reason {
            case .insecure: "The server redirects from https to http. RedirectPolicy(allowsInsecure: true) permits it."
            case .scheme: "The server redirects to a scheme other than http and https."
            case .malformedLocation: "The server redirects to a location that is not a URL."
            }
        }
    }
}
