#if canImport(Security)
    public import NetCore
    import Security

    /// Trusts hosts by certificates in files.
    ///
    /// ```
    /// let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: nil)
    /// let networking = Networking(session: session)
    /// ```
    ///
    /// `Networking(session:)` uses its ``policy``, so that a refusal is ``NetworkError/pinningFailed(host:)``. A session that you use
    /// yourself ends such a task with `URLError.cancelled`.
    public final class PinningURLSessionDelegate: NSObject, URLSessionDelegate, Sendable {
        /// Decides which servers are trusted.
        public let policy: PinningPolicy

        /// Creates a delegate that asks a policy.
        public init(policy: PinningPolicy) { self.policy = policy }

        /// Answers challenges for a server's certificate. All others are handled as without a delegate.
        public func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
                return completionHandler(.performDefaultHandling, nil)
            }
            guard let trust = space.serverTrust, SecTrustEvaluateWithError(trust, nil),
                let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], !chain.isEmpty
            else { return completionHandler(.cancelAuthenticationChallenge, nil) }
            let certificates = CertificateChain(certificates: chain.map { SecCertificateCopyData($0) as Data })
            do {
                try policy.evaluate(certificates, host: space.host.lowercased())
                completionHandler(.useCredential, URLCredential(trust: trust))
            } catch {
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
    }

    extension PinnedSessionProvider {
        static func makeSession(_ policy: PinningPolicy) -> URLSession {
            URLSession(configuration: .default, delegate: PinningURLSessionDelegate(policy: policy), delegateQueue: nil)
        }
    }
#endif
