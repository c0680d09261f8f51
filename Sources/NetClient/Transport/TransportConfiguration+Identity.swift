import NetCore

extension TransportConfiguration {
    /// Tells apart transports that reach other servers, or as other users, behind the same URL: by a Unix-domain socket, a client
    /// certificate, a proxy, addresses of its own or authorities of its own. Nil for the defaults.
    ///
    /// What only refuses connections (a trust policy, an address policy, versions) makes no difference.
    package var identity: String? {
        var parts: [String] = []
        func add(_ kind: String, _ values: String...) {
            parts += [kind] + values.map { "\($0.utf8.count):\($0)" }
        }
        if let unixSocketPath { add("socket", unixSocketPath) }
        switch clientCertificate {
        case nil: break
        case .pem(let certificate, _, _): add("certificate", SHA256.hex(certificate))
        case .pkcs12(let archive, _): add("certificate", SHA256.hex(archive))
        }
        if clientCertificate != nil, let clientCertificateHosts {
            add("certificate hosts", clientCertificateHosts.sorted().joined(separator: ","))
        }
        switch certificateAuthorities {
        case .system: break
        case .only(let pem): add("authorities", SHA256.hex(pem))
        case .onlyFile(let url): add("authorities", url.path)
        }
        switch proxy {
        case .system, .none: break
        case .http(let host, let port, let username, _, let exceptions):
            add("proxy", host, String(port), username ?? "", exceptions.joined(separator: ","))
        }
        for override in resolveOverrides {
            add("resolve", override.host, String(override.port), override.addresses.joined(separator: ","))
        }
        return parts.isEmpty ? nil : SHA256.hex(Data(parts.joined(separator: " ").utf8))
    }
}

extension CookieStore {
    /// The store for a setting; nil where no cookies are kept.
    static func make(_ storage: CookieStorage) -> CookieStore? {
        switch storage {
        case .shared: .shared
        case .memory: .private
        case .off: nil
        case .file(let url): CookieStore(file: url)
        }
    }
}
