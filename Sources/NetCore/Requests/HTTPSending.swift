/// Sends requests through a pipeline: what code that only has to send something needs of a client.
///
/// `NetworkClient` is one. Others take `any HTTPSending` to work with it without linking the engine, and tests give them a
/// double:
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
/// To send over something of your own write an ``HTTPTransport`` instead, and give it to a client: it brings redirects, retry
/// and the rest.
public protocol HTTPSending: Sendable {
    /// Sends a request and gives the response as it comes: any status, the body to be read.
    ///
    /// - Parameters:
    ///   - request: without a body, which comes beside it.
    ///   - body: what to send, or nil for none.
    ///   - context: goes along with the call; nil makes a new one.
    /// - Throws: a failure if there is no response. A status is none.
    func send(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext?
    ) async throws(NetworkFailure) -> TransportResponse

    /// The stable name of the user for whom a request would be sent now: see ``RequestContext/identity``. Nil if there is none.
    func ownerName(for request: URLRequest) -> String?

    /// The base URL of paths and what goes with every request to it; nil for none.
    var environment: (any NetworkEnvironment)? { get }

    /// Encodes the bodies of requests.
    var encoder: any BodyEncoder { get }
}

extension HTTPSending {
    /// Nil: no name.
    public func ownerName(for request: URLRequest) -> String? { nil }

    /// None.
    public var environment: (any NetworkEnvironment)? { nil }
    /// Plain JSON.
    public var encoder: any BodyEncoder { .json }
}

/// Hears of calls that were put together and released without having been sent: most likely a forgotten `send()`.
///
/// A client asks the first of its interceptors that conforms.
package protocol UnsentCallReporting: Sendable {
    /// Reports a call, once.
    ///
    /// - Parameters:
    ///   - call: method and URL, without secrets.
    ///   - advice: what sends it.
    func reportUnsent(_ call: String, advice: String)
}

/// The text of such a report.
package func unsentCallText(_ call: String, advice: String) -> String {
    "\(call) was released without having been sent. \(advice)"
}
