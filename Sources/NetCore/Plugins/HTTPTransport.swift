/// Does the input and output: sends one request and gives its response. A client has exactly one.
///
/// **When to write one.** To send over something of your own: another HTTP library, a test double, a queue between
/// processes. To look at or change requests and responses, write an ``HTTPInterceptor`` instead.
///
/// **How to write one.** Send exactly one exchange: follow no redirect, retry nothing, cache nothing; interceptors do that,
/// for every transport. Stream the body (``HTTPBody/init(length:pulling:)``), honour cancellation at once, and throw
/// ``TransportError`` with a code that fits, `CancellationError`, or a ``NetworkError``. A status such as 500 is a response
/// and not an error. Then run the conformance suite of NetTesting against it.
///
/// ```swift
/// struct CannedTransport: HTTPTransport {
///     func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
///         TransportResponse(status: 200, url: request.url, body: HTTPBody("hello"))
///     }
/// }
/// ```
public protocol HTTPTransport: Sendable {
    /// Sends one request.
    ///
    /// - Parameters:
    ///   - request: method, URL, headers and `timeoutInterval` (the longest time without any byte, in seconds). Its
    ///     `httpBody` and `httpBodyStream` are nil: the body comes beside it.
    ///   - body: what to send, or nil for none.
    ///   - context: goes along with the call.
    /// - Returns: the response, as soon as its head is there (or its body too, see ``RequestContext/delivery``).
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
}

/// A transport that holds threads or connections, and can let go of them before it is released.
public protocol ClosableTransport: HTTPTransport {
    /// Ends what is in flight with ``TransportError/Code/shutDown`` and closes idle connections. Twice is fine. What is
    /// sent afterwards fails with the same error.
    func shutdown() async
}
