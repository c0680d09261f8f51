/// Sends one request over the network and returns its response. A client has exactly one transport.
///
/// **When to write one.** To send over something else: another HTTP library, a test double, a queue between processes. To inspect or
/// change requests and responses, write an ``HTTPInterceptor`` instead.
///
/// **How to write one.** Send exactly one exchange, without redirects, retries or caching: interceptors do that for every transport. Stream the body
/// (``HTTPBody/init(length:pulling:)``), respond to cancellation at once, and throw ``TransportError`` with a matching code, `CancellationError`, or
/// a ``NetworkError``. A status such as 500 is a response and not an error. Test it with the conformance suite of NetTesting.
///
/// ```swift
/// struct CannedTransport: HTTPTransport {
///     func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
///         TransportResponse(status: 200, url: request.url, body: HTTPBody("hello"))
///     }
/// }
/// ```
public protocol HTTPTransport: ProtocolDefaults.HTTPTransportMembers {
    /// Sends one request.
    ///
    /// - Parameters:
    ///   - request: method, URL, headers and `timeoutInterval` (the longest time without a byte, in seconds). Its body and body stream are nil.
    ///   - body: the body to send, or nil for none.
    ///   - context: the data that accompanies the call.
    /// - Returns: the response, as soon as its head has arrived (or its body too, see ``RequestContext/delivery``).
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse

    /// Ends the exchanges in flight with ``TransportError/Code/shutDown`` and closes idle connections. Later requests fail with the same
    /// error. Calling it again does nothing. By default it does nothing.
    func shutdown() async

    /// The capabilities that the transport lacks on this platform, with the reasons. NetTesting's suite skips and prints them. Empty by default.
    var missingCapabilities: [TransportConfiguration.Capability: String] { get }

    /// Returns the connections and exchanges of this moment, one element for each origin with any, sorted by origin. Nil, the default, if unknown.
    func connectionStatistics() -> [ConnectionStatistics]?
}

extension ProtocolDefaults {
    /// The members of an ``HTTPTransport`` that have a default, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol HTTPTransportMembers: Sendable {
        associatedtype DeclaredShutdownError: Error = Never
        associatedtype DeclaredMissingCapabilities = [TransportConfiguration.Capability: String]
        associatedtype DeclaredStatistics = [ConnectionStatistics]?

        /// The requirement of an ``HTTPTransport``, with the declared error.
        func shutdown() async throws(DeclaredShutdownError)
        var missingCapabilities: DeclaredMissingCapabilities { get }
        /// The requirement of an ``HTTPTransport``, in the declared types.
        func connectionStatistics() -> DeclaredStatistics
    }
}

extension HTTPTransport where DeclaredMissingCapabilities == [TransportConfiguration.Capability: String] {
    public var missingCapabilities: [TransportConfiguration.Capability: String] { [:] }
}

extension HTTPTransport {
    public func shutdown() async where DeclaredShutdownError == Never {}

    public func connectionStatistics() -> [ConnectionStatistics]?
    where DeclaredStatistics == [ConnectionStatistics]? { nil }

    public func connectionStatistics() -> [ConnectionStatistics]?
    where DeclaredStatistics == [ConnectionStatistics] { connectionStatistics() as [ConnectionStatistics] }
}

extension TransportConfiguration {
    /// A feature that a transport has or declares missing. The conformance suite of NetTesting has a check for each.
    public enum Capability: String, Sendable, CaseIterable {
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
        case progress
        /// Redirects are returned and not followed.
        case singleExchange
        /// Requests are sent as given, without cookies. Only `Host`, framing, `Expect`, `Accept`, `Accept-Encoding` and Basic credentials of the
        /// URL are added.
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
        case headerLimit
        /// Plain requests and CONNECT through an HTTP proxy.
        case proxy
        /// Hosts that bypass the proxy.
        case proxyExceptions
        /// HTTP proxies that are reached over TLS.
        case tlsProxy
        /// SOCKS proxies, which look up names.
        case socksProxy
        /// HTTP/2 by ALPN.
        case http2
        /// Custom certificate authorities instead of the system's.
        case customAuthority
        /// Accepts untrusted certificates of named hosts only: ``TransportConfiguration/DevelopmentServers``.
        case developmentServers
        case clientCertificate
        /// A ``ServerTrustPolicy`` is asked before any byte of a request is sent.
        case serverTrust
        case minimumTLS
        /// Times and bytes of each phase.
        case metrics
        case connectionLimit, connectionReuse, unixSocket
        /// Addresses that replace a name lookup.
        case resolveOverride
        /// A ``TransportConfiguration/Resolver`` is asked before each new connection.
        case resolver
        /// Name lookups by DNS over HTTPS (RFC 8484).
        case dnsOverHTTPS
        /// Connections by IPv4 or IPv6 only.
        case addressFamily
        /// Connections from a chosen local address or network interface.
        case localAddress
        /// HTTP/2 without negotiation, also without TLS (RFC 9113, section 3.3).
        case http2PriorKnowledge
        /// HTTP/3 (RFC 9114) and nothing else. `CurlTransport` and `URLSessionTransport` lack it.
        case http3
        /// Connections only to addresses that an ``TransportConfiguration/AddressPolicy`` allows, also after name resolution.
        case addressPolicy
        /// Malformed responses give typed errors, each with its code.
        case malformedReplies
        /// 401 and other challenges are returned as they are.
        case challenges
    }
}

/// A transport that can send a request with `Upgrade` and hand over the connection when the server switches protocols (RFC 9110, section 7.8).
package protocol UpgradingTransport: HTTPTransport {
    /// Sends the request on a new connection.
    ///
    /// - Returns: the head of the response. With status 101 it has ``TransportResponse/PipelineState/upgraded``. Any other status is a refusal, with
    ///   the body if that is small.
    func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse
}

/// A connection after a successful upgrade. It closes when it is released.
package enum UpgradedConnection: Sendable {
    /// A byte stream, which the caller frames.
    case bytes(any ByteChannel)
    /// A WebSocket that the platform frames (`URLSessionWebSocketTask`).
    case webSocket(any WebSocketTasking)
}

/// A connection that carries bytes in both directions. It closes when it is released.
package protocol ByteChannel: AnyObject, Sendable {
    /// Returns the next bytes, or nil at the end. One reader at a time. Back pressure holds the peer while there is no reader.
    ///
    /// - Throws: ``TransportError``, or `CancellationError`, which closes the connection.
    func receive() async throws -> Data?

    /// Sends bytes in the order of the calls, and returns when the system has taken all of them.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` if the task is cancelled: then either none or all of the bytes are sent.
    func send(_ bytes: Data) async throws

    /// Closes the connection at once. Calling it again does nothing.
    func close()
}

/// A WebSocket of the platform.
package protocol WebSocketTasking: AnyObject, Sendable {
    /// Returns the next message, or nil when the peer has closed. One reader at a time.
    func receive() async throws -> WebSocketPayload?
    /// Returns when the platform has taken the message.
    func send(_ payload: WebSocketPayload) async throws
    /// Returns when the pong has arrived.
    func ping() async throws
    /// Starts the closing handshake.
    func close(code: UInt16, reason: Data)
    /// The status of the peer's Close frame, or 1006 if there was none.
    var closure: (code: UInt16, reason: String) { get }
    /// Drops the connection without a handshake.
    func cancel()
}

/// The largest message that a platform WebSocket accepts, in bytes.
package enum WebSocketMessageSizeKey: RequestContext.Key { package static let defaultValue = 16 << 20 }

/// Whether the caller refuses a WebSocket without compression.
package enum WebSocketCompressionKey: RequestContext.Key { package static let defaultValue = false }

/// Whether the app may use low-level networking on watchOS at the moment, as the caller says.
package enum WebSocketOnWatchOSKey: RequestContext.Key { package static let defaultValue = false }

package enum WebSocketPayload: Hashable, Sendable {
    case text(String)
    case binary(Data)
}
