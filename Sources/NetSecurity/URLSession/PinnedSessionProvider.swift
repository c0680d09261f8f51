public import NetCore

/// A source of connections to pinned hosts, the same on all platforms.
///
/// ```swift
/// let networking = Networking(sessionProvider: PinnedSessionProvider(policy: pinningPolicy))
/// ```
///
/// `Networking` uses the ``configuration`` for the platform's transport: `CurlTransport` on Linux, `URLSession` elsewhere.
public final class PinnedSessionProvider: URLSessionProviding {
    /// The settings, including the policy.
    public let configuration: TransportConfiguration
    private let made = Locked<URLSession?>(nil)
    private let policy: PinningPolicy

    /// A provider.
    ///
    /// - Parameters:
    ///   - policy: decides which servers are trusted.
    ///   - configuration: all other settings. Its ``TransportConfiguration/trustPolicy`` is replaced.
    public init(policy: PinningPolicy, configuration: TransportConfiguration = TransportConfiguration()) {
        var configuration = configuration
        configuration.trustPolicy = policy
        self.configuration = configuration
        self.policy = policy
    }

    /// A provider with a delegate's policy.
    public convenience init(_ delegate: PinningURLSessionDelegate) {
        self.init(policy: delegate.policy)
    }

    /// A session for code that needs one, the same each time. On Apple's systems it has the policy's delegate and otherwise the default
    /// configuration. On Linux, where no session can be pinned, all its tasks fail.
    public var session: URLSession {
        made.withLock { made in
            if let session = made { return session }
            let session = Self.makeSession(policy)
            made = session
            return session
        }
    }
}

extension PinningURLSessionDelegate {
    /// A delegate that trusts hosts by certificates in files, compared byte for byte.
    ///
    /// ```swift
    /// let delegate = PinningURLSessionDelegate(
    ///     pinnedCertificateNamesByHost: ["api.example.com": ["leafCert", "intermediateCert"]])
    /// ```
    ///
    /// - Parameters:
    ///   - names: for each host the names of files (DER or PEM), with or without `.cer`. Hosts as in ``PinnedHost``.
    ///   - bundle: contains the files.
    ///   - backup: whether each host needs two different certificates.
    /// - Returns: nil if a file is missing or contains no certificate, if a host has fewer than two and `backup` is not waived, or if
    ///   there is no host. `PinningPolicy` and `CertificatePin.certificates(named:in:)` throw the reason.
    public convenience init?(
        pinnedCertificateNamesByHost names: [String: [String]], bundle: Bundle = .main,
        backup: PinnedHost.Backup = .required
    ) {
        guard
            let policy = try? PinningPolicy(
                names.map { host, files in
                    try PinnedHost(
                        host, pins: CertificatePin.certificates(named: files, in: bundle), backup: backup)
                })
        else { return nil }
        self.init(policy: policy)
    }
}

extension PinningURLSessionDelegate: TrustPolicyHolder {
    package var trustPolicy: any ServerTrustPolicy { policy }
}
