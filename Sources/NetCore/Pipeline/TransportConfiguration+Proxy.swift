extension TransportConfiguration {
    /// The proxy to use.
    ///
    /// A proxy gets its user name and password as Basic credentials (RFC 7617), a SOCKS proxy by RFC 1929. A failure of the proxy is a
    /// ``TransportError`` with the code ``TransportError/Code/proxyFailed``, whose message names the proxy without credentials.
    ///
    /// The hosts in `exceptions` bypass the proxy. The syntax is that of the variable `no_proxy`: `example.com` or `.example.com` for the
    /// host and its subdomains, `*.example.com` for the subdomains only, an address (`10.1.2.3`, `::1`), a range of addresses
    /// (`10.0.0.0/8`, `fd00::/8`), `example.com:8443` for one port, and `*` for all hosts. Ranges match addresses in the URL: names are not
    /// looked up. A malformed exception is refused when the transport is used.
    public enum Proxy: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The system's settings; on Linux, the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, also in capitals except
        /// `HTTP_PROXY`, which a web server sets from a request's `Proxy` field.
        case system
        case none
        /// An HTTP proxy, with CONNECT for `https` URLs.
        case http(host: String, port: Int, username: String? = nil, password: String? = nil, exceptions: [String] = [])
        /// An HTTP proxy that is itself reached over TLS.
        ///
        /// Its certificate must be valid for `host`, under `certificateAuthorities`. The settings for servers do not apply to it, except
        /// the minimum version of TLS: it is not asked about by the ``ServerTrustPolicy``, and never sees the client certificate.
        case https(
            host: String, port: Int, username: String? = nil, password: String? = nil, exceptions: [String] = [],
            certificateAuthorities: TransportConfiguration.CertificateAuthorities = .system)
        /// A SOCKS proxy (RFC 1928). The proxy looks up the names of servers, unless `resolvesNamesLocally` is true.
        case socks5(
            host: String, port: Int, username: String? = nil, password: String? = nil, exceptions: [String] = [],
            resolvesNamesLocally: Bool = false)

        /// What the configured proxies have in common.
        package struct Server: Hashable, Sendable {
            /// As libcurl names the kinds: `http`, `https`, `socks5h`, or `socks5` if names are resolved locally.
            package let scheme: String
            package let host: String
            package let port: Int
            package let username: String?
            package let password: String?
            package let exceptions: [String]
        }

        /// The configured proxy; nil for ``system`` and ``none``.
        package var server: Server? {
            let scheme =
                switch self {
                case .system, .none, .http: "http"
                case .https: "https"
                case .socks5(_, _, _, _, _, let resolvesNamesLocally): resolvesNamesLocally ? "socks5" : "socks5h"
                }
            switch self {
            case .system, .none: return nil
            case .http(let host, let port, let username, let password, let exceptions),
                .https(let host, let port, let username, let password, let exceptions, _),
                .socks5(let host, let port, let username, let password, let exceptions, _):
                return Server(
                    scheme: scheme, host: host, port: port, username: username, password: password,
                    exceptions: exceptions)
            }
        }

        /// Kind, host and port, without credentials.
        public var description: String {
            guard let server else { return self == .system ? "system" : "none" }
            let isLiteral = server.host.contains(":") && !server.host.hasPrefix("[")
            return "\(server.scheme)://\(isLiteral ? "[\(server.host)]" : server.host):\(server.port)"
        }

        /// Shows no credentials, so that `dump` does not either.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }
}
