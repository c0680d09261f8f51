#if os(Linux)
    import CLibcurl
    import NetCore

    /// The options of libcurl that follow from the configuration. They are the same for every request of a transport.
    final class CurlOptions {
        private struct Option {
            let option: nc_option
            let value: Value

            var name: String { String(cString: nc_option_name(option)) }
        }

        private enum Value {
            case long(Int)
            case text(UnsafeMutablePointer<CChar>?)
            case blob(UnsafeMutableRawPointer, Int)
            case list(UnsafeMutablePointer<nc_slist>?)
        }

        private var required: [Option] = []
        /// Options that older libraries may lack without harm.
        private var optional: [Option] = []
        /// The client certificate, for requests that may show it. libcurl does not share connections with and without one.
        private var certificate: [Option] = []

        init(_ configuration: TransportConfiguration, proxies: ProxyPlan?) throws {
            try Self.refuseUnsupported(configuration)
            addBasics(configuration)
            try addTrust(configuration)
            addCertificate(configuration.clientCertificate)
            try addProxy(configuration, proxies)
            addConnection(configuration)
            try addAddresses(configuration)
        }

        deinit {
            for option in required + optional + certificate {
                switch option.value {
                case .long: break
                case .text(let text): free(text)
                case .blob(let bytes, _): free(bytes)
                case .list(let list): nc_list_free(list)
                }
            }
        }

        /// Sets all options but the client certificate. Returns the name of the first option that failed, or nil.
        func apply(to easy: OpaquePointer) -> String? {
            for option in required where Self.set(option, on: easy) != 0 { return option.name }
            for option in optional { _ = Self.set(option, on: easy) }
            if setProtocols(easy) != 0 { return "CURLOPT_PROTOCOLS" }
            return nil
        }

        /// Sets the client certificate. Returns the name of the first option that failed, or nil.
        func applyCertificate(to easy: OpaquePointer) -> String? {
            certificate.first { Self.set($0, on: easy) != 0 }?.name
        }

        private func setProtocols(_ easy: OpaquePointer) -> Int32 {
            let result = nc_set_pointer(easy, NC_OPT_PROTOCOLS_STR, "http,https")
            // Before 7.85 it was a number.
            return result == 0 ? 0 : nc_set_long(easy, NC_OPT_PROTOCOLS, Int(NC_PROTO_HTTP_AND_HTTPS))
        }

        private static func set(_ option: Option, on easy: OpaquePointer) -> Int32 {
            switch option.value {
            case .long(let value): nc_set_long(easy, option.option, value)
            case .text(let text): nc_set_pointer(easy, option.option, text)
            case .blob(let bytes, let count): nc_set_blob(easy, option.option, bytes, count)
            case .list(let list): nc_set_pointer(easy, option.option, list)
            }
        }

        private func add(_ option: nc_option, _ value: Int) {
            required.append(Option(option: option, value: .long(value)))
        }

        private func add(_ option: nc_option, _ text: String?) {
            required.append(Option(option: option, value: .text(text.flatMap { strdup($0) })))
        }

        private func add(_ option: nc_option, _ data: Data) {
            // libcurl refuses an empty blob. One byte of white space fails later, with an error of its own.
            let bytes = data.isEmpty ? Data([0x0A]) : data
            guard let copy = malloc(bytes.count) else { return }
            bytes.copyBytes(to: copy.assumingMemoryBound(to: UInt8.self), count: bytes.count)
            required.append(Option(option: option, value: .blob(copy, bytes.count)))
        }

        private static func refuseUnsupported(_ configuration: TransportConfiguration) throws {
            if configuration.httpVersions == .http3Preferred {
                throw NetworkError.unsupported(
                    "libcurl cannot prefer HTTP/3 without its own HTTP/2. Set httpVersions to .http3Only or .automatic."
                )
            }
            guard configuration.allowsExpensiveNetworkAccess, configuration.allowsConstrainedNetworkAccess else {
                throw NetworkError.unsupported(
                    "Linux does not report which networks are expensive or constrained. Leave allowsExpensiveNetworkAccess and "
                        + "allowsConstrainedNetworkAccess true.")
            }
        }

        private func addBasics(_ configuration: TransportConfiguration) {
            // A response without a status line (HTTP/0.9) is an error.
            add(NC_OPT_HTTP09_ALLOWED, 0)
            add(NC_OPT_PATH_AS_IS, 1)
            add(NC_OPT_DISALLOW_USERNAME_IN_URL, 1)
            add(NC_OPT_SUPPRESS_CONNECT_HEADERS, 1)
            add(NC_OPT_EXPECT_100_TIMEOUT_MS, 1000)
            add(NC_OPT_BUFFERSIZE, Self.receiveBuffer)
            // The reader's task decodes content codings. libcurl would decode on this thread, all of a read at once, and accept a
            // truncated body.
            add(NC_OPT_HTTP_CONTENT_DECODING, 0)
            // libcurl does not speak HTTP/2: see `choose_version` in sockets.c.
            let isHTTP3 = configuration.httpVersions == .http3Only
            add(NC_OPT_HTTP_VERSION, Int(isHTTP3 ? NC_HTTP_VERSION_3ONLY : NC_HTTP_VERSION_1_1))
            // A proxy for plain requests does not speak HTTP/2.
            if configuration.httpVersions == .http2PriorKnowledge { add(NC_OPT_HTTPPROXYTUNNEL, 1) }
            // The other timeouts are ours.
            add(NC_OPT_CONNECTTIMEOUT_MS, CurlDefaults(configuration).connectMilliseconds)
            // Since 7.87: a name server that does not answer must not block the end of the loop.
            optional.append(Option(option: NC_OPT_QUICK_EXIT, value: .long(1)))
        }

        /// The bytes that are read from a socket at once. A larger buffer takes fresh pages from malloc each time, and a smaller one more
        /// reads. 64 KiB took the least CPU for bodies of 200 bytes, 64 KiB and 500 MB.
        static let receiveBuffer = 64 * 1024

        private func addTrust(_ configuration: TransportConfiguration) throws {
            add(NC_OPT_SSL_VERIFYPEER, 1)
            add(NC_OPT_SSL_VERIFYHOST, 2)
            add(NC_OPT_SSLVERSION, Self.version(configuration.minimumTLSVersion))
            try addAuthorities(
                configuration.certificateAuthorities, folder: NC_OPT_CAPATH, file: NC_OPT_CAINFO,
                bytes: NC_OPT_CAINFO_BLOB)
            if configuration.trustPolicy != nil { add(NC_OPT_CERTINFO, 1) }
        }

        private static func version(_ version: TransportConfiguration.TLSVersion) -> Int {
            switch version {
            case .v1_0: Int(NC_SSLVERSION_TLSv1_0)
            case .v1_1: Int(NC_SSLVERSION_TLSv1_1)
            case .v1_2: Int(NC_SSLVERSION_TLSv1_2)
            case .v1_3: Int(NC_SSLVERSION_TLSv1_3)
            }
        }

        private func addAuthorities(
            _ authorities: TransportConfiguration.CertificateAuthorities, folder: nc_option, file: nc_option,
            bytes: nc_option
        ) throws {
            switch authorities {
            case .system:
                // The variables of OpenSSL, which libcurl itself does not read.
                let environment = ProcessInfo.processInfo.environment
                if let path = environment["SSL_CERT_FILE"], !path.isEmpty { add(file, path) }
                if let path = environment["SSL_CERT_DIR"], !path.isEmpty { add(folder, path) }
            case .only(let pem):
                add(folder, nil)
                add(bytes, pem)
            case .onlyFile(let url):
                guard url.isFileURL else {
                    throw NetworkError.unsupported("certificateAuthorities needs a file URL for .onlyFile.")
                }
                add(folder, nil)
                add(file, url.path)
            }
        }

        private func addCertificate(_ identity: TransportConfiguration.ClientCertificate?) {
            let others = required
            required = []
            switch identity {
            case nil: break
            case .pem(let certificate, let key, let password):
                add(NC_OPT_SSLCERTTYPE, "PEM")
                add(NC_OPT_SSLCERT_BLOB, certificate)
                add(NC_OPT_SSLKEYTYPE, "PEM")
                add(NC_OPT_SSLKEY_BLOB, key)
                if let password { add(NC_OPT_KEYPASSWD, password) }
            case .pkcs12(let archive, let password):
                add(NC_OPT_SSLCERTTYPE, "P12")
                add(NC_OPT_SSLCERT_BLOB, archive)
                add(NC_OPT_KEYPASSWD, password ?? "")
            }
            certificate = required
            required = others
        }

        private func addProxy(_ configuration: TransportConfiguration, _ proxies: ProxyPlan?) throws {
            // Without a proxy, the empty option also keeps libcurl from searching the environment for every request. With one, `ProxyPlan`
            // decides about exceptions, and the empty list overrides the variable `no_proxy`.
            add(proxies == nil ? NC_OPT_PROXY : NC_OPT_NOPROXY, "")
            guard let proxies else { return }
            if let server = configuration.proxy.server {
                add(NC_OPT_PROXY, configuration.proxy.description)
                if let username = server.username { add(NC_OPT_PROXYUSERNAME, username) }
                if let password = server.password { add(NC_OPT_PROXYPASSWORD, password) }
            }
            // A SOCKS proxy must not ask for the user's Kerberos ticket.
            add(NC_OPT_SOCKS5_AUTH, Int(NC_AUTH_BASIC))
            guard proxies.usesTLS else { return }
            add(NC_OPT_PROXY_SSL_VERIFYPEER, 1)
            add(NC_OPT_PROXY_SSL_VERIFYHOST, 2)
            add(NC_OPT_PROXY_SSLVERSION, Self.version(configuration.minimumTLSVersion))
            guard case .https(_, _, _, _, _, let authorities) = configuration.proxy else { return }
            try addAuthorities(
                authorities, folder: NC_OPT_PROXY_CAPATH, file: NC_OPT_PROXY_CAINFO, bytes: NC_OPT_PROXY_CAINFO_BLOB)
        }

        private func addConnection(_ configuration: TransportConfiguration) {
            if let path = configuration.unixSocketPath {
                add(NC_OPT_UNIX_SOCKET_PATH, path)
                if configuration.trustPolicy != nil {
                    // These connections have no addresses, which identify a verified connection when it is used again.
                    add(NC_OPT_FRESH_CONNECT, 1)
                    add(NC_OPT_FORBID_REUSE, 1)
                }
            }
            if configuration.limits.idleConnections <= 0 { add(NC_OPT_FORBID_REUSE, 1) }
            var list: UnsafeMutablePointer<nc_slist>?
            for override in configuration.resolveOverrides {
                list =
                    nc_list_append(list, Self.resolveEntry(override.host, override.port, override.addresses)) ?? list
            }
            if list != nil {
                required.append(Option(option: NC_OPT_RESOLVE, value: .list(list)))
            }
        }

        /// An entry for `CURLOPT_RESOLVE`.
        static func resolveEntry(_ host: String, _ port: Int, _ addresses: [String]) -> String {
            "\(host):\(port):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        }

        private func addAddresses(_ configuration: TransportConfiguration) throws {
            switch configuration.addressFamily {
            case .any: break
            case .ipv4Only: add(NC_OPT_IPRESOLVE, Int(NC_IPRESOLVE_V4))
            case .ipv6Only: add(NC_OPT_IPRESOLVE, Int(NC_IPRESOLVE_V6))
            }
            if let local = configuration.localAddress {
                // The prefix keeps libcurl from looking up the name of an interface that does not exist.
                let isAddress = IPAddress(local) != nil
                guard isAddress || (1...15).contains(local.utf8.count),
                    local.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
                else {
                    throw NetworkError.unsupported(
                        "localAddress is neither an address nor the name of a network interface.")
                }
                add(NC_OPT_INTERFACE, (isAddress ? "host!" : "if!") + local)
            }
            if let url = configuration.dnsOverHTTPS {
                guard url.scheme?.lowercased() == "https", url.host?.isEmpty == false else {
                    throw NetworkError.unsupported(
                        "dnsOverHTTPS needs an https URL, such as https://192.0.2.1/dns-query.")
                }
                add(NC_OPT_DOH_URL, url.absoluteString)
            }
        }
    }
#endif
