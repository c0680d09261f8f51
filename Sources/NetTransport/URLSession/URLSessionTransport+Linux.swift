#if !canImport(Security)
    /// The properties of FoundationNetworking, each tried with Swift 6.3 and libcurl 7.88.
    enum URLSessionPlatform {
        /// `suspend()` changes the state but does not stop the transfer.
        static let canSuspend = false
        /// `URLSessionTask.delegate` does not get redirects and challenges.
        static let hasTaskDelegates = false
        /// libcurl asks for the body again, but continues where it was.
        static let canRestartStreams = false
        /// An answer to a redirect after a cancellation is a fatal error.
        static let abortsOnLateRedirectAnswer = true
        static let canPreferHTTP3 = false

        static func preferHTTP3(_ request: inout URLRequest) {}

        static let missingCapabilities: [TransportConfiguration.Capability: String] = [
            .backPressure: "suspend() does nothing on Linux: bytes that wait for a slow reader stay in memory.",
            .proxyExceptions: "URLSession on Linux takes its proxy from the environment only.",
            .proxy: "FoundationNetworking ignores connectionProxyDictionary, and uses the environment's variables.",
            .http2: "HTTP/2 is negotiated but not reported: every response says HTTP/1.1.",
            .tlsProxy: "URLSession on Linux takes its proxy from the environment only.",
            .socksProxy: "URLSession on Linux takes its proxy from the environment only.",
            .customAuthority: "FoundationNetworking trusts the system's authorities only.",
            .developmentServers: "FoundationNetworking verifies every server.",
            .clientCertificate: "FoundationNetworking does not ask for a client certificate.",
            .serverTrust: "FoundationNetworking does not show the server's certificates.",
            .minimumTLS: "FoundationNetworking leaves the version of TLS to the system's OpenSSL.",
            .metrics: "FoundationNetworking collects none: only firstByte, total and the byte counts are known.",
            .malformedReplies:
                "FoundationNetworking aborts the process on a response that ends inside its header section.",
        ]

        static func refusal(of configuration: TransportConfiguration) -> NetworkError? {
            let usual = TransportConfiguration()
            let text: String? =
                if configuration.trustPolicy != nil {
                    "does not show the server's certificates, so a trust policy would not be enforced."
                } else if configuration.certificateAuthorities != usual.certificateAuthorities {
                    "cannot trust an authority of your own."
                } else if configuration.developmentServers != .none {
                    "verifies every server, so developmentServers has no effect."
                } else if configuration.clientCertificate != nil {
                    "cannot show a client certificate."
                } else if configuration.minimumTLSVersion != usual.minimumTLSVersion {
                    "cannot set the minimum version of TLS."
                } else {
                    refusal(of: configuration.proxy)
                }
            return (text.map { "URLSession on Linux \($0) Use CurlTransport." } ?? configuration.networkRefusalOnLinux)
                .map { .unsupported($0) }
        }

        private static func refusal(of proxy: TransportConfiguration.Proxy) -> String? {
            switch proxy {
            case .system: nil
            case .http, .https, .socks5: "takes its proxy from the environment only."
            case .none: ProxyPlan.variables.contains(where: isSet) ? "cannot ignore the environment's proxy." : nil
            }
        }

        private static func isSet(_ variable: String) -> Bool {
            ProcessInfo.processInfo.environment[variable]?.isEmpty == false
        }

        /// Sets what a session of ours needs.
        static func apply(_ configuration: TransportConfiguration, to session: URLSessionConfiguration) {
            prepareCopy(session)
        }

        /// Sets what a session needs that is rebuilt from a caller's configuration.
        static func prepareCopy(_ session: URLSessionConfiguration) {
            session.urlCache = nil
            session.urlCredentialStorage = nil
        }

        static func setDelegate(_ delegate: SessionDelegate, of task: URLSessionTask) {}

        /// Sets the framing of a streamed body. A blank value removes a field that libcurl adds by itself: `Expect`, which costs a second if
        /// the server ignores it, and the `Content-Type` of a form, which Foundation adds.
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

        /// libcurl also delivers the proxy's response to CONNECT. The last head before the body is the right one.
        static func defersHead(of request: URLRequest) -> Bool {
            request.url?.scheme?.lowercased() == "https" && ProxyPlan.variables.dropFirst().contains(where: isSet)
        }

        /// Whether Foundation drops the body, as it does for a redirect that it cannot follow.
        static func dropsBody(of head: ResponseHead) -> Bool {
            (301...308).contains(head.status) && !head.headers.contains(name: "Location")
        }

        /// libcurl asks again if a reused connection was closed before any byte of a response. It would then send the rest of what it had
        /// read already (mostly nothing) and wait forever.
        static func errorForRewind(of exchange: Exchange) -> any Error {
            TransportError(
                .connectionLost, phase: .sending,
                message: "The connection was used before, and was closed before any byte of a response.",
                url: exchange.url, isUnprocessed: false, isStaleConnection: true)
        }
    }

    /// Answers challenges, which on Linux only ask for HTTP credentials.
    struct SecurityAdapter: Sendable {
        let development: DevelopmentGuard? = nil

        init() {}

        init(_ configuration: TransportConfiguration) throws {}

        init(ofSession configuration: URLSessionConfiguration) {}

        /// Nil, since a session's delegate cannot pin on Linux.
        init?(takenFrom delegate: (any URLSessionDelegate)?) { nil }

        /// Cancels the task: default handling waits forever, and a missing credential is a crash. The whole response was received before.
        func answer(
            to challenge: URLAuthenticationChallenge, exchange: Exchange?
        ) -> (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?) {
            exchange?.finishReceived()
            return (.cancelAuthenticationChallenge, nil)
        }
    }
#endif
