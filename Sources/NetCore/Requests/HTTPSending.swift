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
public protocol HTTPSending: Sendable {
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

extension HTTPSending {
    public func ownerName(for request: URLRequest) -> String? { nil }
    public var environment: (any NetworkEnvironment)? { nil }
    public var encoder: any BodyEncoder { .json }
    public var queryEncoding: QueryEncoding { .default }
}

/// Receives reports of calls that were created and released without being sent, usually because of a forgotten `send()`.
///
/// A client reports to the first of its interceptors that conforms.
package protocol UnsentCallReporting: Sendable {
    /// Reports a call, once.
    ///
    /// - Parameters:
    ///   - call: method and URL, without secrets.
    ///   - advice: how to send it.
    func reportUnsent(_ call: String, advice: String)
}

/// Returns the text of a report of an unsent call.
package func unsentCallText(_ call: String, advice: String) -> String {
    "\(call) was released without having been sent. \(advice)"
}
