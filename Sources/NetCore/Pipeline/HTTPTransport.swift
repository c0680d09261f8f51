/// Sends one request over the network and returns its response. A client has exactly one transport.
///
/// **When to write one.** To send over something else: another HTTP library, a test double, a queue between processes. To inspect or
/// change requests and responses, write an ``HTTPInterceptor`` instead.
///
/// **How to write one.** Send exactly one exchange, without redirects, retries or caching: interceptors do that for every transport.
/// Stream the body (``HTTPBody/init(length:pulling:)``), respond to cancellation at once, and throw ``TransportError`` with a matching
/// code, `CancellationError`, or a ``NetworkError``. A status such as 500 is a response and not an error. Test it with the conformance
/// suite of NetTesting.
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
    ///   - request: method, URL, headers and `timeoutInterval` (the longest time without any byte, in seconds). Its `httpBody` and
    ///     `httpBodyStream` are nil.
    ///   - body: the body to send, or nil for none.
    ///   - context: the data that accompanies the call.
    /// - Returns: the response, as soon as its head has arrived (or its body too, see ``RequestContext/delivery``).
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse

    /// Ends the exchanges in flight with ``TransportError/Code/shutDown`` and closes idle connections. Later requests fail with the same
    /// error. Calling it again does nothing. By default it does nothing.
    func shutdown() async

    /// The capabilities that the transport lacks on this platform, each with the reason. The conformance suite of NetTesting skips their
    /// checks and prints the reason. Empty by default.
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
    /// Request bodies from streams of known and unknown length.
    case uploadStream
    /// Reports of sent and received bytes.
    case progress
    /// Redirects are returned and not followed.
    case singleExchange
    /// Requests are sent as given: only `Host`, framing and `Accept-Encoding` are added, and no cookie is kept.
    case exactRequest
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
    /// A limit on the decoded body.
    case decompressionLimit
    /// A limit on the header section.
    case headerLimit
    /// Plain requests and CONNECT through an HTTP proxy.
    case proxy
    /// Hosts that bypass the proxy.
    case proxyExceptions
    /// HTTP/2 by ALPN.
    case http2
    /// Custom certificate authorities instead of the system's.
    case customAuthority
    case clientCertificate
    /// A ``ServerTrustPolicy`` is asked before any byte of a request is sent.
    case serverTrust
    /// A minimum version of TLS.
    case minimumTLS
    /// Times and bytes of each phase.
    case metrics
    /// A limit on connections to a host.
    case connectionLimit
    case connectionReuse
    /// Unix-domain sockets.
    case unixSocket
    /// Addresses that replace a name lookup.
    case resolveOverride
    /// Connections only to addresses that an ``AddressPolicy`` allows, also after name resolution.
    case addressPolicy
    /// Malformed responses give typed errors, each with its code.
    case malformedReplies
    /// 401 and other challenges are returned as they are.
    case challenges
}
