extension TransportConfiguration {
    /// Servers with certificates that the platform does not trust, for development.
    ///
    /// Prefer an authority of the team's own and ``TransportConfiguration/certificateAuthorities``, which keep verification on.
    ///
    /// ```swift
    /// var configuration = TransportConfiguration()
    /// configuration.developmentServers = .selfSigned(hosts: ["staging.internal"])
    /// ```
    public enum DevelopmentServers: Hashable, Sendable {
        /// The certificate of each server must be trusted.
        case none
        /// Accepts any certificate of this machine and the named hosts. All others are verified as usual, also after a redirect, and so is a proxy.
        ///
        /// This machine is `localhost`, `*.localhost`, `127.0.0.0/8` and `::1`, unless a proxy is used for them. The trust policy, if there is one,
        /// is asked about accepted certificates too. Observers get a ``NetworkEvent/Kind/notice(_:)`` when the transport is first used, and for each
        /// accepted certificate.
        ///
        /// Builds without the compilation condition `DEBUG`, such as release builds, refuse each request with ``NetworkError/unsupported(_:)``.
        ///
        /// - Parameters:
        ///   - hosts: names or addresses without a port. Subdomains are not included. An empty name or a wildcard is refused.
        ///   - allowsReleaseBuilds: whether release builds accept these certificates too.
        case selfSigned(hosts: Set<String> = [], allowsReleaseBuilds: Bool = false)
    }
}
