#if canImport(Security)
    import Security

    /// What Apple's `URLSession` does and does not do.
    enum URLSessionPlatform {
        static let canSuspend = true
        static let hasTaskDelegates = true
        static let canRestartStreams = true
        static let abortsOnLateRedirectAnswer = false

        /// What a body is given without. Codings one over the other are not counted on.
        static let decodedCodings: Set = ["gzip", "x-gzip", "deflate", "br"]

        static let missingCapabilities: [TransportCapability: String] = {
            var missing = everywhereMissing
            #if !os(macOS)
                missing[.proxyExceptions] = "Only macOS knows exceptions from a proxy."
            #endif
            return missing
        }()

        private static let everywhereMissing: [TransportCapability: String] = [
            .connectTimeout: "URLSession has no timeout for connecting alone; the idle timeout bounds it.",
            .decompression: "URLSession always decodes gzip, deflate and br; it cannot be switched off.",
            .clientCertificate: "PKCS#12 works; a PEM key cannot be made an identity without a keychain.",
            .http2: "HTTP/2 is spoken where the server has it, but it cannot be switched off.",
            .headerLimit: "URLSession shows headers when they are complete: its own limit stands before ours.",
            .malformedReplies: "URLSession mends some malformed replies, and tells the others by few codes.",
            .unixSocket: "URLSession cannot connect to Unix-domain sockets.",
            .resolveOverride: "URLSession cannot override name look-ups.",
            .addressPolicy: "URLSession does not show the address to which it connects; lists of hosts are kept.",
        ]

        static func refusal(of configuration: TransportConfiguration) -> NetworkError? {
            if case .pem = configuration.clientCertificate {
                return .unsupported(
                    "A client certificate in PEM cannot be used on Apple's platforms. Convert it with "
                        + "`openssl pkcs12 -export -inkey key.pem -in certificate.pem` and give it as .pkcs12.")
            }
            #if !os(macOS)
                if case .http(_, _, _, _, let exceptions) = configuration.proxy, !exceptions.isEmpty {
                    return .unsupported("Only macOS knows exceptions from a proxy.")
                }
            #endif
            return nil
        }

        static func sessionConfiguration(for configuration: TransportConfiguration) -> URLSessionConfiguration {
            // Ephemeral: cookies, cache and credentials of its own, and none of them on disk.
            let session = URLSessionConfiguration.ephemeral
            session.removeCookies()
            session.httpMaximumConnectionsPerHost = max(1, configuration.limits.connectionsPerHost)
            session.tlsMinimumSupportedProtocolVersion =
                switch configuration.minimumTLSVersion {
                case .v1_0: .TLSv10
                case .v1_1: .TLSv11
                case .v1_2: .TLSv12
                case .v1_3: .TLSv13
                }
            session.connectionProxyDictionary = proxyDictionary(configuration.proxy)
            session.allowsExpensiveNetworkAccess = configuration.allowsExpensiveNetworkAccess
            session.allowsConstrainedNetworkAccess = configuration.allowsConstrainedNetworkAccess
            prepare(session)
            return session
        }

        /// What every session of ours has, also one rebuilt from a caller's configuration.
        static func prepare(_ session: URLSessionConfiguration) {
            session.urlCache = nil
            // Without stored credentials a challenge of HTTP is not answered, and its 401 is given to us.
            session.urlCredentialStorage = nil
            // Out of the way of our own timers: a week, as for the request.
            session.timeoutIntervalForRequest = 604_800
            session.timeoutIntervalForResource = 604_800
            // An offline device is an error now, and not a request that waits.
            session.waitsForConnectivity = false
        }

        /// The keys have constants on macOS only, where some of these have them; the text is the same everywhere.
        private static func proxyDictionary(_ proxy: ProxyConfiguration) -> [AnyHashable: Any]? {
            switch proxy {
            case .system:
                return nil
            case .none:
                return [
                    "HTTPEnable": 0, "HTTPSEnable": 0, "SOCKSEnable": 0, "ProxyAutoConfigEnable": 0,
                    "ProxyAutoDiscoveryEnable": 0,
                ]
            case .http(let host, let port, _, _, let exceptions):
                return [
                    "HTTPEnable": 1, "HTTPProxy": host, "HTTPPort": port,
                    "HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": port,
                    "ExceptionsList": exceptions.flatMap { [$0, "*." + $0] },
                ]
            }
        }

        static func security(for configuration: TransportConfiguration) -> (SecurityAdapter, (any Error)?) {
            do {
                return (try SecurityAdapter(configuration), nil)
            } catch {
                // Never used: each request is refused with the error.
                return (SecurityAdapter(), error)
            }
        }

        static func setDelegate(_ delegate: SessionDelegate, of task: URLSessionTask) {
            task.delegate = delegate
        }

        /// With this field URLSession sends the stream as it is, without it in chunks.
        static func frameStream(_ fields: inout [String: String], length: Int64?) {
            if let length { fields["Content-Length"] = String(length) }
        }

        static func defersHead(of request: URLRequest) -> Bool { false }

        static func dropsBody(of head: ResponseHead) -> Bool { false }

        /// URLSession sends data and files again by itself; for a stream it asks.
        static func errorForRewind(of exchange: Exchange) -> any Error { NetworkError.bodyNotReplayable }
    }

    extension Exchange {
        /// Comes before the end of the task: of its transactions the last is ours, as we follow no redirect.
        func didCollect(_ collected: URLSessionTaskMetrics) {
            guard let last = collected.transactionMetrics.last else { return }
            let start = collected.taskInterval.start
            func seconds(_ date: Date?) -> TimeInterval? { date.map { max(0, $0.timeIntervalSince(start)) } }
            state.withLock { state in
                state.version = Self.version(last.networkProtocolName) ?? state.version
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
                    if let address = last.remoteAddress, let port = last.remotePort {
                        metrics.remoteAddress = "\(address):\(port)"
                    }
                }
            }
        }

        /// From the name in ALPN (RFC 7301).
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
#endif
