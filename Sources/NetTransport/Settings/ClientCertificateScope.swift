/// Decides which servers see the client certificate of a transport.
struct ClientCertificateScope: Sendable {
    /// Nil for the origin of the client's base URL, or of the call.
    private let named: CredentialScope?

    /// Nil if the configuration has no client certificate.
    init?(_ configuration: TransportConfiguration) {
        guard configuration.clientCertificate != nil else { return nil }
        named = configuration.clientCertificateHosts.map { CredentialScope(hosts: $0) }
    }

    /// Whether a request to the URL may present the certificate.
    func includes(_ url: URL?, _ context: RequestContext) -> Bool {
        if let named { return named.includesHost(of: url, from: context.origin) }
        if let base = context.pipeline.preparer?.baseOrigin { return url?.origin == base }
        return !CredentialScope.isCrossOrigin(url, from: context.origin)
    }
}
