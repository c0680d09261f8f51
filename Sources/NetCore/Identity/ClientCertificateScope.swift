/// Decides to which servers a transport shows its client certificate.
package struct ClientCertificateScope: Sendable {
    /// Nil stands for the origin of the client's base URL, or of the call.
    private let named: CredentialScope?

    /// Nil for a configuration without a client certificate.
    package init?(_ configuration: TransportConfiguration) {
        guard configuration.clientCertificate != nil else { return nil }
        named = configuration.clientCertificateHosts.map { CredentialScope(hosts: $0) }
    }

    /// Whether a request to the URL may show the certificate.
    package func includes(_ url: URL?, _ context: RequestContext) -> Bool {
        if let named { return named.names(url, from: context.origin) }
        if let base = context.preparer?.baseOrigin { return url?.origin == base }
        return !CredentialScope.isCrossOrigin(url, from: context.origin)
    }
}
