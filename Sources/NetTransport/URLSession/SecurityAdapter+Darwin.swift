#if canImport(Security)
    import Security

    /// A task that receives a challenge.
    protocol ChallengedTask: Sendable {
        /// Whether the client certificate may be shown to the server: see ``TransportConfiguration/clientCertificateHosts``.
        var showsCertificate: Bool { get }
        /// The context of the call, for notices.
        var context: RequestContext { get }
        func stop(_ error: any Error)
        /// Receives the certificates of a new connection, once they are trusted.
        func note(_ chain: CertificateChain)
        func error(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase?) -> TransportError
    }

    extension ChallengedTask {
        func note(_ chain: CertificateChain) {}
    }

    extension Exchange: ChallengedTask {
        func note(_ chain: CertificateChain) { state.withLock { $0.certificates = chain } }
    }

    /// Answers the challenges of a session. It converts between the types of Security and ours.
    struct SecurityAdapter: Sendable {
        typealias Answer = (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?)

        private var policy: (any ServerTrustPolicy)?
        /// The certificates of the only trusted authorities, in DER; nil for the system's.
        private var anchors: [Data]?
        private var client: ClientCredential?
        /// Nil if every certificate must be trusted.
        private(set) var development: DevelopmentGuard?
        private var proxyLogin: (user: String, password: String)?
        /// Whether the session may answer a server's challenges for a login by itself.
        private var usesSessionLogins = false

        /// Creates an adapter with the system's trust and without credentials.
        init() {}

        /// Creates an adapter for a session that is rebuilt from a caller's configuration: it may have a store of credentials.
        init(ofSession configuration: URLSessionConfiguration) {
            usesSessionLogins = configuration.urlCredentialStorage != nil
        }

        /// Creates an adapter with the policy of a delegate that only holds one. Nil for any other delegate.
        init?(takenFrom delegate: (any URLSessionDelegate)?) {
            guard let holder = delegate as? any TrustPolicyHolder else { return nil }
            policy = holder.trustPolicy
        }

        /// - Throws: ``TransportError`` if a certificate or key cannot be read.
        init(_ configuration: TransportConfiguration) throws {
            policy = configuration.trustPolicy
            switch configuration.certificateAuthorities {
            case .system: anchors = nil
            case .only(let pem): anchors = try Self.certificates(inPEM: pem)
            case .onlyFile(let url): anchors = try Self.certificates(inPEM: Self.read(url))
            }
            if case .pkcs12(let archive, let password)? = configuration.clientCertificate {
                client = try ClientCredential(archive: archive, password: password)
            }
            let proxies = try ProxyPlan(configuration.proxy, environment: [:])
            development = try DevelopmentGuard(configuration.developmentServers, proxies: proxies)
            if let server = configuration.proxy.server, let user = server.username {
                proxyLogin = (user, server.password ?? "")
            }
        }

        func answer(to challenge: URLAuthenticationChallenge, exchange: (any ChallengedTask)?) -> Answer {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust: return evaluate(space, exchange: exchange)
            case NSURLAuthenticationMethodClientCertificate:
                guard let client, exchange?.showsCertificate == true else { return (.performDefaultHandling, nil) }
                return (.useCredential, client.credential)
            case NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate:
                // Default handling could show the user's Kerberos ticket to any server.
                return (.rejectProtectionSpace, nil)
            default:
                guard space.isProxy() else {
                    // Default handling would send the credentials of a URL. The caller handles a 401.
                    return (usesSessionLogins ? .performDefaultHandling : .rejectProtectionSpace, nil)
                }
                guard let proxyLogin, challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
                let (user, password) = proxyLogin
                return (.useCredential, URLCredential(user: user, password: password, persistence: .forSession))
            }
        }

        /// Evaluates on the session's delegate queue, which is never the main thread, so it may block.
        private func evaluate(_ space: URLProtectionSpace, exchange: (any ChallengedTask)?) -> Answer {
            // The settings are for servers: the system verifies a proxy.
            guard policy != nil || anchors != nil || development != nil, !space.isProxy() else {
                return (.performDefaultHandling, nil)
            }
            guard let trust = space.serverTrust else {
                return refuse("The system has no certificates to evaluate.", exchange)
            }
            if let anchors {
                let certificates = anchors.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                guard certificates.count == anchors.count,
                    SecTrustSetAnchorCertificates(trust, certificates as CFArray) == errSecSuccess,
                    SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
                else { return refuse("The certificate authorities of the configuration cannot be used.", exchange) }
            }
            var error: CFError?
            let isTrusted = SecTrustEvaluateWithError(trust, &error)
            if !isTrusted {
                let reason = (error as (any Error)?)?.localizedDescription
                guard development?.accepts(host: space.host, port: space.port) == true, except(trust) else {
                    return refuse(reason ?? "The server's certificate is not trusted.", exchange)
                }
                exchange?.context.notify(DevelopmentGuard.notice(acceptingCertificateOf: space.host), of: .transport)
            }
            // The evaluated chain, and not all sent certificates: a server can send unrelated ones.
            guard let evaluated = SecTrustCopyCertificateChain(trust) as? [SecCertificate], !evaluated.isEmpty else {
                return refuse("The system has no certificates to evaluate.", exchange)
            }
            let shown = isTrusted ? evaluated : [evaluated[0]]
            let chain = CertificateChain(certificates: shown.map { SecCertificateCopyData($0) as Data })
            if let policy {
                let host = space.host.lowercased()
                do {
                    try policy.evaluate(chain, host: host)
                } catch {
                    exchange?.stop(NetworkFailure(cause: .pinningFailed(host: host), underlyingError: error))
                    return (.cancelAuthenticationChallenge, nil)
                }
            }
            exchange?.note(chain)
            return (.useCredential, URLCredential(trust: trust))
        }

        /// Has the system accept a certificate that it does not trust.
        private func except(_ trust: SecTrust) -> Bool {
            SecTrustCopyExceptions(trust).map { SecTrustSetExceptions(trust, $0) } ?? false
        }

        private func refuse(_ reason: String, _ exchange: (any ChallengedTask)?) -> Answer {
            exchange.map { $0.stop($0.error(.certificateUntrusted, reason, phase: .securing)) }
            return (.cancelAuthenticationChallenge, nil)
        }

        // MARK: Reading

        private static func read(_ url: URL) throws -> Data {
            do {
                return try Data(contentsOf: url)
            } catch {
                throw TransportError(
                    .other, phase: .preparing,
                    message: "The file of certificate authorities cannot be read: \(url.path)")
            }
        }

        /// Returns the certificates in a PEM text (RFC 7468), as DER.
        static func certificates(inPEM pem: Data) throws -> [Data] {
            let marks = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
            let blocks = String(decoding: pem, as: UTF8.self).components(separatedBy: marks.0).dropFirst()
            let certificates = blocks.compactMap { block -> Data? in
                guard let end = block.range(of: marks.1) else { return nil }
                return Data(base64Encoded: String(block[..<end.lowerBound]), options: .ignoreUnknownCharacters)
            }
            let readable = certificates.filter { SecCertificateCreateWithData(nil, $0 as CFData) != nil }
            guard !readable.isEmpty, readable.count == blocks.count else {
                throw TransportError(
                    .other, phase: .preparing, message: "The certificate authorities are not certificates in PEM.")
            }
            return readable
        }
    }

    /// A client's certificate and key.
    private struct ClientCredential: @unchecked Sendable {
        // Unchecked: older SDKs do not mark `URLCredential`, which is immutable.
        let credential: URLCredential

        /// Imports a PKCS#12 archive. macOS before 15 also adds it to the user's keychain.
        init(archive: Data, password: String?) throws {
            var items: CFArray?
            var options: [String: Any] = [kSecImportExportPassphrase as String: password ?? ""]
            if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
                options[kSecImportToMemoryOnly as String] = true
            }
            let status = SecPKCS12Import(archive as CFData, options as CFDictionary, &items)
            guard status == errSecSuccess, let item = (items as? [[String: Any]])?.first,
                let found = item[kSecImportItemIdentity as String],
                CFGetTypeID(found as CFTypeRef) == SecIdentityGetTypeID()
            else {
                throw TransportError(
                    .clientCertificateRejected, phase: .preparing,
                    message: "The PKCS#12 archive cannot be read, or its password is wrong (OSStatus \(status)).")
            }
            // A conditional cast to a CoreFoundation type always succeeds, so the type is checked above.
            let identity = unsafeDowncast(found as AnyObject, to: SecIdentity.self)
            let chain = item[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
            // The leaf is in the identity already.
            credential = URLCredential(
                identity: identity, certificates: Array(chain.dropFirst()), persistence: .forSession)
        }
    }
#endif
