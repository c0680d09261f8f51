/// Decides whether to trust a server, after the platform has validated its certificates.
///
/// The transport asks the policy for every new connection, before it sends any byte of a request. A policy can only refuse: what the
/// platform rejects stays rejected. `CurlTransport` (Linux) and Apple's `URLSessionTransport` enforce it. `URLSessionTransport` on Linux
/// cannot, and refuses requests with ``NetworkError/unsupported(_:)``.
public protocol ServerTrustPolicy: Sendable {
    /// Returns if the server is trusted. It runs on the transport's thread, so decide without waiting.
    ///
    /// - Parameters:
    ///   - chain: the server's certificate and its issuers.
    ///   - host: the request's host, in lower case, without port.
    /// - Throws: an error to refuse. The call fails with ``NetworkError/pinningFailed(host:)`` and that error as its underlying one.
    func evaluate(_ chain: CertificateChain, host: String) throws
}

/// A server's certificate and its issuers, in DER (ITU-T X.690), without `SecTrust`.
///
/// It holds only certificates that signed the server's, directly or through others. Other certificates in the handshake prove nothing,
/// since any server can send them.
public struct CertificateChain: Hashable, Sendable {
    /// The certificates, the server's own ("leaf") first. The root is included on Apple's systems; on Linux only if the server sends it,
    /// which is rare.
    public let certificates: [Data]

    public init(certificates: [Data]) {
        self.certificates = certificates
    }

    /// The server's own certificate.
    public var leaf: Data? { certificates.first }
}

/// A `URLSession` delegate that wraps a policy, so that a transport can take over the policy and report why it refused.
package protocol TrustPolicyHolder: AnyObject {
    var trustPolicy: any ServerTrustPolicy { get }
}
