/// Sends requests: the part of a client that other modules need.
///
/// `NetworkClient` conforms. Code that takes `any HTTPSending` works without linking the engine, and tests can replace it:
///
/// ```swift
/// struct Refusing: HTTPSending {
///     func send(
///         _ request: URLRequest, body: HTTPBody?, context: RequestContext?
///     ) async throws(NetworkFailure) -> TransportResponse {
///         throw NetworkFailure(cause: .noInternetConnection)
///     }
/// }
/// ```
///
/// To send over something other than the platform's network, write an ``HTTPTransport`` instead, and use it in a client, which adds
/// redirects, retries and more.
public protocol HTTPSending: ProtocolDefaults.HTTPSendingMembers {
    /// Sends a request and returns the response with any status and an unread body.
    ///
    /// - Parameters:
    ///   - request: the request without a body.
    ///   - body: the body to send, or nil for none.
    ///   - context: the data that accompanies the call, or nil for a new context.
    /// - Throws: a failure if there is no response. A status is not a failure.
    func send(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext?
    ) async throws(NetworkFailure) -> TransportResponse

    /// Returns the stable name of the user for whom a request would be sent now, or nil: see ``RequestContext/identity``.
    func ownerName(for request: URLRequest) -> String?

    /// The base URL and the settings of requests with a path, or nil.
    var environment: (any NetworkEnvironment)? { get }

    /// Encodes request bodies.
    var encoder: any BodyEncoder { get }

    /// The conventions of queries and forms.
    var queryEncoding: QueryEncoding { get }
}

extension ProtocolDefaults {
    /// The members of an ``HTTPSending`` that have a default, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol HTTPSendingMembers: Sendable {
        associatedtype DeclaredOwnerName = String?
        associatedtype DeclaredOwnerError: Error = Never
        associatedtype DeclaredEnvironment = (any NetworkEnvironment)?
        associatedtype DeclaredEncoder = any BodyEncoder
        associatedtype DeclaredQueryEncoding = QueryEncoding

        /// The requirement of an ``HTTPSending``, in the declared types.
        func ownerName(for request: URLRequest) throws(DeclaredOwnerError) -> DeclaredOwnerName
        var environment: DeclaredEnvironment { get }
        var encoder: DeclaredEncoder { get }
        var queryEncoding: DeclaredQueryEncoding { get }
    }
}

extension HTTPSending where DeclaredEnvironment == (any NetworkEnvironment)? {
    public var environment: (any NetworkEnvironment)? { nil }
}

extension HTTPSending where DeclaredEnvironment == any NetworkEnvironment {
    public var environment: (any NetworkEnvironment)? { environment as any NetworkEnvironment }
}

extension HTTPSending where DeclaredEnvironment: NetworkEnvironment {
    public var environment: (any NetworkEnvironment)? { environment as DeclaredEnvironment }
}

extension HTTPSending where DeclaredEncoder == any BodyEncoder { public var encoder: any BodyEncoder { .json } }

extension HTTPSending where DeclaredEncoder: BodyEncoder {
    public var encoder: any BodyEncoder { encoder as DeclaredEncoder }
}

extension HTTPSending where DeclaredQueryEncoding == QueryEncoding {
    public var queryEncoding: QueryEncoding { .default }
}

extension HTTPSending {
    public func ownerName(for request: URLRequest) -> String?
    where DeclaredOwnerName == String?, DeclaredOwnerError == Never { nil }

    public func ownerName(for request: URLRequest) -> String?
    where DeclaredOwnerName == String, DeclaredOwnerError == Never { ownerName(for: request) as String }
}

/// Receives reports of calls that were created and released without being sent, usually because of a forgotten `send()`.
///
/// A client reports to the first of its interceptors that conforms.
package protocol UnsentCallReporting: Sendable {
    /// Reports a call, once, by a text without secrets.
    func reportUnsent(_ report: String)
}
