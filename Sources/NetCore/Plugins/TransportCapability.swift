/// Something that transports do, or say that they do not. The conformance suite of NetTesting has a test for each.
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

/// A transport that says what it cannot do on this platform, and why.
public protocol CapableTransport: HTTPTransport {
    /// What is left out, with the reason, as shown by the conformance suite and in the documentation.
    var missingCapabilities: [TransportCapability: String] { get }
}

extension HTTPTransport {
    /// What the transport leaves out, if it says so; nothing if it does not.
    public var declaredGaps: [TransportCapability: String] {
        (self as? any CapableTransport)?.missingCapabilities ?? [:]
    }
}
