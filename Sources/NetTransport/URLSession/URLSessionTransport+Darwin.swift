#if canImport(Security)
    import Security

    #if canImport(Network)
        import Network
    #endif

    /// The properties of Apple's `URLSession`.
    enum URLSessionPlatform {
        static let canSuspend = true
        static let hasTaskDelegates = true
        static let canRestartStreams = true
        static let abortsOnLateRedirectAnswer = false
        static let canPreferHTTP3 = true

        static func preferHTTP3(_ request: inout URLRequest) { request.assumesHTTP3Capable = true }

        static let missingCapabilities: [TransportConfiguration.Capability: String] = {
            var missing = Self.missing
            #if !os(macOS)
                missing[.proxyExceptions] = "Only macOS supports exceptions of an HTTP proxy."
            #endif
            if #unavailable(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1) {
                missing[.socksProxy] = "URLSession supports SOCKS proxies since iOS 17 and macOS 14."
            }
            return missing
        }()

        private static let missing: [TransportConfiguration.Capability: String] = [
            .tlsProxy: "Only a proxy whose certificate the system trusts works, since iOS 17 and macOS 14.",
            .clientCertificate: "PKCS#12 works; a PEM key cannot be made an identity without a keychain.",
            .http2: "URLSession uses HTTP/2 if the server does; it cannot be switched off.",
            .headerLimit: "URLSession delivers complete headers: its own limit applies before ours.",
            .malformedReplies: "URLSession repairs some malformed responses, and reports the others by few codes.",
        ]

        static func refusal(of configuration: TransportConfiguration) -> NetworkError? {
            if case .pem = configuration.clientCertificate {
                return .unsupported(
                    "A client certificate in PEM cannot be used on Apple's platforms. Convert it with "
                        + "`openssl pkcs12 -export -inkey key.pem -in certificate.pem` and give it as .pkcs12.")
            }
            #if os(macOS) || os(tvOS) || os(watchOS) || os(visionOS)
                if configuration.multipath != .none { return .unsupported(TransportConfiguration.multipathRefusal) }
            #endif
            return refusal(of: configuration.proxy).map { .unsupported($0) }
        }

        private static func refusal(of proxy: TransportConfiguration.Proxy) -> String? {
            guard let server = proxy.server else { return nil }
            if server.exceptions.contains(where: { ProxyException($0)?.plainHost == nil }) {
                return
                    "URLSession supports hosts as exceptions of a proxy, which include their subdomains: no ranges, ports or wildcards."
            }
            switch proxy {
            case .system, .none: return nil
            case .http:
                #if !os(macOS)
                    if !server.exceptions.isEmpty { return "Only macOS supports exceptions of an HTTP proxy." }
                #endif
                return nil
            case .https, .socks5:
                guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else {
                    return
                        "URLSession supports https and SOCKS proxies since iOS 17, macOS 14, tvOS 17 and watchOS 10. Use an HTTP proxy."
                }
                if case .https(_, _, _, _, _, let authorities) = proxy, authorities != .system {
                    return
                        "URLSession verifies an https proxy by the system's authorities. Install the proxy's authority on the device."
                }
                if case .socks5(_, _, _, _, _, true) = proxy {
                    return "URLSession has a SOCKS proxy look up names. Leave resolvesNamesLocally at false."
                }
                if UInt16(exactly: server.port) == nil { return "The proxy's port is not in 0...65535." }
                return nil
            }
        }

        /// Sets what a session of ours needs.
        static func apply(_ configuration: TransportConfiguration, to session: URLSessionConfiguration) {
            session.tlsMinimumSupportedProtocolVersion = configuration.minimumTLSVersion.system
            session.connectionProxyDictionary = proxyDictionary(configuration.proxy)
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *),
                let proxy = proxyConfiguration(configuration.proxy)
            {
                session.proxyConfigurations = [proxy]
            }
            session.allowsExpensiveNetworkAccess = configuration.allowsExpensiveNetworkAccess
            session.allowsConstrainedNetworkAccess = configuration.allowsConstrainedNetworkAccess
            // The SDK of Xcode 26.0 lacks it.
            #if compiler(>=6.2.1)
                if #available(iOS 26.1, macOS 26.1, tvOS 26.1, watchOS 26.1, visionOS 26.1, *),
                    let allows = configuration.allowsUltraConstrainedNetworkAccess
                {
                    session.allowsUltraConstrainedNetworkAccess = allows
                }
            #endif
            session.networkServiceType = configuration.serviceType.system
            // For iOS, and for its stand-in.
            #if !os(macOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
                session.multipathServiceType = configuration.multipath.system
            #endif
            prepareCopy(session)
            // Without stored credentials URLSession does not answer an HTTP challenge, and delivers its 401.
            session.urlCredentialStorage = nil
            // An offline device is an error: the client's policy decides whether to wait.
            session.waitsForConnectivity = false
        }

        /// Sets what a session needs that is rebuilt from a caller's configuration. Its store of credentials and its `waitsForConnectivity` stay.
        static func prepareCopy(_ session: URLSessionConfiguration) {
            session.urlCache = nil
            // A week, so that only our own timers count.
            session.timeoutIntervalForRequest = 604_800
            session.timeoutIntervalForResource = 604_800
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
        private static func proxyConfiguration(_ proxy: TransportConfiguration.Proxy) -> ProxyConfiguration? {
            guard let server = proxy.server,
                let port = UInt16(exactly: server.port).flatMap(NWEndpoint.Port.init(rawValue:))
            else { return nil }
            let endpoint = NWEndpoint.hostPort(host: NWEndpoint.Host(server.host), port: port)
            var configuration: ProxyConfiguration
            switch proxy {
            case .system, .none, .http: return nil
            case .https:
                configuration = ProxyConfiguration(httpCONNECTProxy: endpoint, tlsOptions: NWProtocolTLS.Options())
            case .socks5: configuration = ProxyConfiguration(socksv5Proxy: endpoint)
            }
            if let username = server.username {
                configuration.applyCredential(username: username, password: server.password ?? "")
            }
            configuration.excludedDomains = plainHosts(server.exceptions)
            return configuration
        }

        private static func plainHosts(_ exceptions: [String]) -> [String] {
            exceptions.compactMap { ProxyException($0)?.plainHost }
        }

        /// Only macOS has constants for some of the keys. The texts are the same everywhere.
        private static func proxyDictionary(_ proxy: TransportConfiguration.Proxy) -> [AnyHashable: Any]? {
            switch proxy {
            // The session's `proxyConfigurations` have the other kinds.
            case .system, .https, .socks5: return nil
            case .none:
                return [
                    "HTTPEnable": 0, "HTTPSEnable": 0, "SOCKSEnable": 0, "ProxyAutoConfigEnable": 0,
                    "ProxyAutoDiscoveryEnable": 0,
                ]
            case .http(let host, let port, _, _, let exceptions):
                return [
                    "HTTPEnable": 1, "HTTPProxy": host, "HTTPPort": port,
                    "HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": port,
                    "ExceptionsList": plainHosts(exceptions).flatMap { [$0, "*." + $0] },
                ]
            }
        }

        static func setDelegate(_ delegate: SessionDelegate, of task: URLSessionTask) {
            // The task holds its delegate until it ends.
            task.delegate = LentSessionDelegate(delegate)
        }

        /// With `Content-Length`, URLSession sends the stream as it is, otherwise in chunks.
        static func frameStream(_ fields: inout [String: String], length: Int64?) {
            if let length { fields["Content-Length"] = String(length) }
        }

        static func defersHead(of request: URLRequest) -> Bool { false }

        static func dropsBody(of head: ResponseHead) -> Bool { false }

        /// URLSession resends data and files by itself, and asks for a new stream.
        static func errorForRewind(of exchange: Exchange) -> any Error { NetworkError.bodyNotReplayable }
    }

    extension Exchange {
        /// Called before the end of the task. The last of its transactions is the exchange, as redirects are not followed.
        func didCollect(_ collected: URLSessionTaskMetrics) {
            guard let last = collected.transactionMetrics.last else { return }
            let start = collected.taskInterval.start
            func seconds(_ date: Date?) -> TimeInterval? { date.map { max(0, $0.timeIntervalSince(start)) } }
            state.withLock { state in
                state.version = Self.version(last.networkProtocolName) ?? state.version
                var connection = TransportResponse.Connection(last)
                connection.certificates = state.certificates
                setConnection(connection)
                updateMetrics(of: &state) { metrics, _ in
                    metrics.nameLookup = seconds(last.domainLookupEndDate)
                    // Apple's end of connecting includes TLS, ours does not.
                    metrics.connect = seconds(last.secureConnectionStartDate ?? last.connectEndDate)
                    metrics.secureConnect = seconds(last.secureConnectionEndDate)
                    metrics.requestStart = seconds(last.requestStartDate)
                    metrics.firstByte = seconds(last.responseStartDate) ?? metrics.firstByte
                    metrics.total = seconds(last.responseEndDate) ?? metrics.total
                    metrics.isReusedConnection = last.isReusedConnection
                    metrics.bytesSent = last.countOfRequestBodyBytesSent
                    metrics.bytesReceived = last.countOfResponseBodyBytesReceived
                    metrics.remoteAddress = connection.remoteAddress
                }
            }
        }

        /// The version for a protocol name of ALPN (RFC 7301).
        private static func version(_ name: String?) -> HTTPVersion? {
            switch name {
            case "http/1.0": .http1_0
            case "http/1.1": .http1_1
            case "h2": .http2
            case "h3": .http3
            default: nil
            }
        }
    }

    extension TransportResponse.Connection {
        fileprivate init(_ metrics: URLSessionTaskTransactionMetrics) {
            self.init()
            tlsVersion = metrics.negotiatedTLSProtocolVersion.flatMap { TransportConfiguration.TLSVersion($0) }
            cipherSuite = metrics.negotiatedTLSCipherSuite.map { suite in
                Self.suites[suite.rawValue] ?? String(format: "0x%04X", Int(suite.rawValue))
            }
            applicationProtocol = tlsVersion.flatMap { _ in metrics.networkProtocolName }
            if let address = metrics.localAddress, let port = metrics.localPort {
                localAddress = Self.address(address, port)
            }
            if let address = metrics.remoteAddress, let port = metrics.remotePort {
                remoteAddress = Self.address(address, port)
            }
        }

        /// IANA's names of the suites that servers choose today.
        private static let suites: [UInt16: String] = [
            0x1301: "TLS_AES_128_GCM_SHA256", 0x1302: "TLS_AES_256_GCM_SHA384", 0x1303: "TLS_CHACHA20_POLY1305_SHA256",
            0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", 0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", 0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
            0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", 0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        ]
    }
#endif
