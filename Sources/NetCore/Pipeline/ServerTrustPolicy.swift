/// Decides whether a server is the one that is meant, after the platform has found its certificates in order.
///
/// The transport asks it for every new connection, before any byte of a request is sent. It can only refuse: what the
/// platform rejects stays rejected. `CurlTransport` (Linux) and `URLSessionTransport` on Apple enforce it;
/// `URLSessionTransport` on Linux cannot, and refuses to be made with one.
public protocol ServerTrustPolicy: Sendable {
    /// Returns if the server is to be trusted.
    ///
    /// Called on the transport's thread: decide from what is in memory.
    ///
    /// - Parameters:
    ///   - chain: the server's certificate, and those that prove it.
    ///   - host: the host that the request is for, in lower case, without port.
    /// - Throws: to refuse. The call fails with ``NetworkError/pinningFailed(host:)`` and what was thrown beneath it.
    func evaluate(_ chain: CertificateChain, host: String) throws
}

/// A server's certificate and those that prove it, in DER (ITU-T X.690): portable, without `SecTrust`.
///
/// What a server sends besides, and what has not signed its certificate, directly or through others, is not among them: anybody
/// can send a certificate of somebody else.
public struct CertificateChain: Hashable, Sendable {
    /// The certificates, the server's own ("leaf") first. The root is among them on Apple's systems; on Linux only if the server
    /// sends it, which few do.
    public let certificates: [Data]

    /// A chain.
    public init(certificates: [Data]) {
        self.certificates = certificates
    }

    /// The server's own certificate.
    public var leaf: Data? { certificates.first }
}

/// A delegate of a `URLSession` that stands for a policy, so that a transport can take the policy over and say why it refused.
package protocol TrustPolicyHolder: AnyObject {
    var trustPolicy: any ServerTrustPolicy { get }
}
