#if !canImport(Security)
    /// What FoundationNetworking needs and lacks. Each oddity was tried with Swift 6.3 and libcurl 7.88.
    enum URLSessionPlatform {
        /// `suspend()` changes a state and stops nothing.
        static let canSuspend = false
        /// `URLSessionTask.delegate` does not get redirects and challenges.
        static let hasTaskDelegates = false
        /// libcurl asks for the body again, but reads on where it was.
        static let canRestartStreams = false
        /// The answer to a redirect, when it comes after a cancellation, is a fatal error.
        static let abortsOnLateRedirectAnswer = true

        /// What a body is given without. Codings one over the other are not counted on.
        static let decodedCodings: Set = ["gzip", "x-gzip", "deflate", "br"]

        static let missingCapabilities: [TransportCapability: String] = [
            .backPressure: "suspend() does nothing on Linux: what a slow reader does not take is kept in memory.",
            .connectTimeout: "URLSession has no timeout for connecting alone; the idle timeout bounds it.",
            .decompression: "URLSession always decodes gzip, deflate and br; it cannot be switched off.",
            .proxyExceptions: "URLSession on Linux takes its proxy from the environment only.",
            .proxy:
                "FoundationNetworking ignores connectionProxyDictionary; only the variables of the environment count.",
            .http2: "HTTP/2 is negotiated, but not reported: every response reads HTTP/1.1.",
            .customAuthority: "FoundationNetworking has no way to trust other authorities than the system's.",
            .clientCertificate: "FoundationNetworking asks for no client certificate.",
            .serverTrust: "FoundationNetworking does not show the server's certificates.",
            .minimumTLS: "FoundationNetworking leaves the version of TLS to the system's OpenSSL.",
            .metrics: "FoundationNetworking collects none: only firstByte, total and the bytes are known.",
            .unixSocket: "URLSession cannot connect to Unix-domain sockets.",
            .resolveOverride: "URLSession cannot override name look-ups.",
            .addressPolicy: "URLSession does not show the address to which it connects; lists of hosts are kept.",
            .malformedReplies:
                "FoundationNetworking aborts the process on a response that ends inside its header section.",
        ]

        static func refusal(of configuration: TransportConfiguration) -> NetworkError? {
            let usual = TransportConfiguration()
            let reason: String? =
                if configuration.trustPolicy != nil {
                    "URLSession on Linux does not show the server's certificates, so a trust policy would not be enforced."
                } else if configuration.certificateAuthorities != usual.certificateAuthorities {
                    "URLSession on Linux cannot trust an authority of your own."
                } else if configuration.clientCertificate != nil {
                    "URLSession on Linux cannot show a client certificate."
                } else if configuration.minimumTLSVersion != usual.minimumTLSVersion {
                    "URLSession on Linux cannot set the minimum version of TLS."
                } else if !configuration.allowsExpensiveNetworkAccess || !configuration.allowsConstrainedNetworkAccess {
                    "Linux does not say which networks are expensive or constrained."
                } else {
                    refusal(of: configuration.proxy)
                }
            return reason.map { .unsupported($0 + " Use CurlTransport.") }
        }

        private static func refusal(of proxy: ProxyConfiguration) -> String? {
            switch proxy {
            case .system: nil
            case .http: "URLSession on Linux takes its proxy from the environment only."
            case .none:
                proxyVariables.contains(where: isSet)
                    ? "URLSession on Linux cannot ignore the environment's proxy." : nil
            }
        }

        private static let proxyVariables = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

        private static func isSet(_ variable: String) -> Bool {
            ProcessInfo.processInfo.environment[variable]?.isEmpty == false
        }

        static func sessionConfiguration(for configuration: TransportConfiguration) -> URLSessionConfiguration {
            // Ephemeral: the store of a default session is a file that everybody can read.
            let session = URLSessionConfiguration.ephemeral
            session.removeCookies()
            session.httpMaximumConnectionsPerHost = max(1, configuration.limits.connectionsPerHost)
            prepare(session)
            return session
        }

        /// What every session of ours has, also one rebuilt from a caller's configuration.
        static func prepare(_ session: URLSessionConfiguration) {
            session.urlCache = nil
            session.urlCredentialStorage = nil
        }

        static func security(for configuration: TransportConfiguration) -> (SecurityAdapter, (any Error)?) {
            (SecurityAdapter(), nil)
        }

        static func setDelegate(_ delegate: SessionDelegate, of task: URLSessionTask) {}

        /// Makes libcurl frame the stream as we want. A blank value removes a header that it would add by itself: here
        /// `Expect`, whose missing answer costs a second, and the `Content-Type` of a form, which Foundation invents.
        static func frameStream(_ fields: inout [String: String], length: Int64?) {
            func remove(_ name: String) {
                if !fields.keys.contains(where: { $0.equalsIgnoringASCIICase(name) }) { fields[name] = " " }
            }
            remove("Expect")
            remove("Content-Type")
            guard let length else { return }
            remove("Transfer-Encoding")
            fields["Content-Length"] = String(length)
        }

        /// libcurl passes off the answer of a proxy to CONNECT as the response. What comes last before the body is right.
        static func defersHead(of request: URLRequest) -> Bool {
            request.url?.scheme?.lowercased() == "https" && proxyVariables.dropFirst().contains(where: isSet)
        }

        /// Where Foundation keeps the body of a redirect that it cannot follow to itself.
        static func dropsBody(of head: ResponseHead) -> Bool {
            (301...308).contains(head.status) && !head.headers.contains(name: "Location")
        }

        /// libcurl asks again if a reused connection was closed before any byte of an answer. It would then send the rest
        /// of what it had read already (nothing, mostly) and wait for ever.
        static func errorForRewind(of exchange: Exchange) -> any Error {
            TransportError(
                .connectionLost, phase: .sending,
                message: "The connection was used before, and was closed before any byte of an answer.",
                url: exchange.url, isUnprocessed: false, isStaleConnection: true)
        }
    }

    /// Without certificates there is only one kind of challenge: credentials for HTTP.
    struct SecurityAdapter: Sendable {
        /// For tasks in a session of somebody else's, of which there are none here.
        static let lent = SecurityAdapter()

        init() {}

        /// Nil: no delegate of a session can pin here.
        init?(takenFrom delegate: (any URLSessionDelegate)?) { nil }

        /// Default handling waits for ever and a missing credential is a crash, so the task is cancelled. By then the whole
        /// response has been received.
        func answer(
            to challenge: URLAuthenticationChallenge, exchange: Exchange?
        ) -> (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?) {
            exchange?.finishReceived()
            return (.cancelAuthenticationChallenge, nil)
        }
    }
#endif
