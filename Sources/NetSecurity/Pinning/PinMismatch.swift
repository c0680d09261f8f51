public import NetCore

/// A server showed none of the certificates and keys that its host is pinned to.
///
/// It goes to the report handler of a ``PinningPolicy``; where pins are enforced it is also the
/// ``NetworkFailure/underlyingError`` of ``NetworkError/pinningFailed(host:)``. There is no secret in it.
public struct PinMismatch: Error, Hashable, Sendable {
    /// The host that the request was for.
    public let host: String
    /// The pins that stood against the server.
    public let pinned: PinnedHost
    /// What the server showed.
    public let chain: CertificateChain
    /// When.
    public let date: Date
    /// Whether the connection was refused.
    public let isEnforced: Bool

    /// The pins that would have fitted: of each key that the server showed, its own first.
    public var presentedPins: [CertificatePin] {
        chain.certificates.compactMap { certificate in
            CertificatePin.fulfilled(by: certificate).first { if case .publicKey = $0 { true } else { false } }
        }
    }

    /// The certificates that can be read, the server's own first.
    public var certificates: [X509Certificate] {
        chain.certificates.compactMap { try? X509Certificate(der: $0) }
    }
}

extension PinMismatch: CustomStringConvertible, LocalizedError {
    /// Host, keys shown, and what came of it.
    public var description: String {
        let shown = presentedPins.map(\.description).joined(separator: ", ")
        let owner = certificates.first.map { " of \($0.subject), issued by \($0.issuer)" } ?? ""
        return
            "\(host) showed none of its \(pinned.pins.count) pins but \(shown.isEmpty ? "nothing that can be read" : shown)"
            + "\(owner); \(isEnforced ? "refused" : "only reported")."
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
