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

    /// Ends the exchanges in flight with ``TransportError/Code/shutDown`` and closes idle connections. Later requests fail with the same
    /// error. Calling it again does nothing. By default a transport has nothing to close.
    func shutdown() async

    /// The capabilities that the transport does not have on this platform, each with the reason. The conformance suite of NetTesting leaves
    /// out their checks and prints the reason. Empty by default.
    var missingCapabilities: [TransportCapability: String] { get }
}

extension HTTPTransport {
    public func shutdown() async {}

    public var missingCapabilities: [TransportCapability: String] { [:] }
}

/// A feature that a transport has or declares missing. The conformance suite of NetTesting has a check for each.
public enum TransportCapability: String, Sendable, CaseIterable {
    /// Head and whole body at once.
    case bufferedResponse
    /// The head before the body, which is read in chunks.
    case streamedResponse
    /// A slow reader slows the server down.
    case backPressure
    /// Request bodies from memory.
    case uploadData
    /// Request bodies from files, in constant memory.
    case uploadFile
    /// Request bodies from streams, of known and unknown length.
    case uploadStream
    /// Bytes sent and received are reported on the way.
    case progress
    /// Redirects are given to the caller.
    case singleExchange
    /// Requests are sent as given: no field is added but `Host`, framing and `Accept-Encoding`, and no cookie is kept.
    case exactRequest
    /// A timeout for connecting.
    case connectTimeout
    /// A timeout without any byte.
    case idleTimeout
    /// A timeout for the exchange.
    case totalTimeout
    /// Timeouts of less than a second.
    case fractionalTimeout
    /// A cancelled task stops its transfer.
    case cancellation
    /// `Content-Encoding` is decoded.
    case decompression
    /// A limit on what is decoded.
    case decompressionLimit
    /// A limit on the header section.
    case headerLimit
    /// Plain requests and CONNECT through an HTTP proxy.
    case proxy
    /// Hosts that are reached without the proxy.
    case proxyExceptions
    /// HTTP/2 by ALPN.
    case http2
    /// An authority of one's own in place of the system's.
    case customAuthority
    /// A client certificate.
    case clientCertificate
    /// A ``ServerTrustPolicy`` is asked before any byte of a request is sent.
    case serverTrust
    /// A minimum version of TLS.
    case minimumTLS
    /// Times and bytes of each phase.
    case metrics
    /// A limit on connections to a host.
    case connectionLimit
    /// Connections are used again.
    case connectionReuse
    /// Unix-domain sockets.
    case unixSocket
    /// Addresses in place of a name look-up.
    case resolveOverride
    /// Connections only to the addresses that an ``AddressPolicy`` allows, also after a name was resolved.
    case addressPolicy
    /// Malformed replies give typed errors, each with its code.
    case malformedReplies
    /// 401 and other challenges are given to the caller as they are.
    case challenges
}
