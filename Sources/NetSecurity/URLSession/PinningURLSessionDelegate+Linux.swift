#if !canImport(Security)
    import NetCore

    /// Trusts hosts by certificates in files, where no `URLSession` can.
    ///
    /// It is not a `URLSessionDelegate` here, so that the compiler refuses it: Foundation does not show certificates to delegates, and the
    /// session would not be pinned. Pass it to a provider, or its policy to a transport:
    ///
    /// ```swift
    /// let networking = Networking(sessionProvider: PinnedSessionProvider(pinningDelegate))
    /// ```
    public final class PinningURLSessionDelegate: Sendable {
        /// Decides which servers are trusted.
        public let policy: PinningPolicy

        /// Creates a delegate that asks a policy.
        public init(policy: PinningPolicy) { self.policy = policy }
    }

    extension PinnedSessionProvider {
        static func makeSession(_ policy: PinningPolicy) -> URLSession {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [RefusingProtocol.self]
            return URLSession(configuration: configuration)
        }
    }

    /// Loads nothing: a session that cannot be pinned must not be used as if it were.
    private final class RefusingProtocol: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let refusal = NetworkError.unsupported(
                "No URLSession can be pinned on Linux. Use Networking(sessionProvider:), or CurlTransport with a trustPolicy."
            )
            client?.urlProtocol(self, didFailWithError: refusal)
        }

        override func stopLoading() {}
    }
#endif
