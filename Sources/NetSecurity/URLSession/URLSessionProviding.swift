public import NetCore

/// A source of the `URLSession` to send through.
///
/// ```swift
/// struct PinnedSessions: URLSessionProviding {
///     let session: URLSession  // made with a delegate of your own
/// }
/// let networking = Networking(sessionProvider: PinnedSessions(session: session))
/// ```
public protocol URLSessionProviding: Sendable {
    /// The session: the same one each time, so that connections are shared.
    var session: URLSession { get }
}

/// Makes one `URLSession` when it is first read, and keeps it.
///
/// The caller ends the session (`finishTasksAndInvalidate()`), since others may use it after the provider is released.
public final class DefaultSessionProvider: URLSessionProviding {
    private let configuration: URLSessionConfiguration
    private let made = Locked<URLSession?>(nil)
    /// Whether the session has the default configuration, so that the platform's own transport can replace it.
    package let usesDefaults: Bool

    /// Creates a provider of a session with the default configuration.
    public convenience init() { self.init(.default, usesDefaults: true) }

    /// Creates a provider of a session with this configuration.
    ///
    /// - Parameter configuration: copied, so that later changes have no effect.
    public convenience init(configuration: URLSessionConfiguration) { self.init(configuration, usesDefaults: false) }

    #if canImport(Darwin)
        /// The providers of background sessions, by their identifiers.
        fileprivate static let backgroundProviders = Locked<[String: DefaultSessionProvider]>([:])
    #endif

    private init(_ configuration: URLSessionConfiguration, usesDefaults: Bool) {
        self.configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        self.usesDefaults = usesDefaults
    }

    public var session: URLSession { made.session { URLSession(configuration: configuration) } }
}

extension Locked<URLSession?> {
    /// The session that the first call makes.
    fileprivate func session(_ make: () -> URLSession) -> URLSession {
        withLock { made in
            let session = made ?? make()
            made = session
            return session
        }
    }
}

extension URLSessionProviding where Self == DefaultSessionProvider {
    /// A background session, whose transfers continue while the app does not run. Only on Apple platforms.
    ///
    /// - Parameter identifier: the same after each launch of the app. A process has one session for an identifier, so each call with the
    ///   same identifier returns the same provider. Do not invalidate its session, and use another identifier for `BackgroundTransfers`.
    /// - Throws: ``NetworkError/unsupported(_:)`` on systems whose `URLSession` has no background sessions.
    public static func background(identifier: String) throws(NetworkError) -> DefaultSessionProvider {
        #if canImport(Darwin)
            return DefaultSessionProvider.backgroundProviders.withLock { providers in
                let provider =
                    providers[identifier]
                    ?? DefaultSessionProvider(configuration: .background(withIdentifier: identifier))
                providers[identifier] = provider
                return provider
            }
        #else
            throw .unsupported(
                "This system has no background sessions. Use DefaultSessionProvider in a process that keeps running.")
        #endif
    }

    /// A session for tests: it asks these `URLProtocol` classes and stores nothing on disk.
    ///
    /// - Parameter protocolClasses: asked in this order, before the system's own.
    public static func mock(protocolClasses: [URLProtocol.Type]) -> DefaultSessionProvider {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = protocolClasses + (configuration.protocolClasses ?? [])
        return DefaultSessionProvider(configuration: configuration)
    }
}

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

    /// Creates a provider.
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

    /// Creates a provider with a delegate's policy.
    public convenience init(_ delegate: PinningURLSessionDelegate) { self.init(policy: delegate.policy) }

    /// A session for code that needs one, the same each time. On Apple platforms it has the policy's delegate and otherwise the default
    /// configuration. On Linux, where no session can be pinned, all its tasks fail.
    public var session: URLSession { made.session { Self.makeSession(policy) } }
}

extension PinningURLSessionDelegate {
    /// Creates a delegate that trusts hosts by certificates in files, compared byte for byte.
    ///
    /// ```swift
    /// let delegate = PinningURLSessionDelegate(
    ///     pinnedCertificateNamesByHost: ["api.example.com": ["leafCert", "intermediateCert"]])
    /// ```
    ///
    /// - Parameters:
    ///   - names: for each host the names of files (DER or PEM), with or without `.cer`. Hosts as in ``PinningPolicy/Host``.
    ///   - bundle: contains the files.
    ///   - backup: whether each host needs two different certificates.
    /// - Returns: nil if a file is missing or contains no certificate, if a host has fewer than two and `backup` is not waived, or if
    ///   `names` is empty. `PinningPolicy` and `PinningPolicy.Pin.certificates(named:in:)` throw the reason.
    public convenience init?(
        pinnedCertificateNamesByHost names: [String: [String]], bundle: Bundle = .main,
        backup: PinningPolicy.Host.Backup = .required
    ) {
        guard
            let policy = try? PinningPolicy(
                names.map { host, files in
                    try PinningPolicy.Host(
                        host, pins: PinningPolicy.Pin.certificates(named: files, in: bundle), backup: backup)
                })
        else { return nil }
        self.init(policy: policy)
    }
}

extension PinningURLSessionDelegate: TrustPolicyHolder {
    package var trustPolicy: any ServerTrustPolicy { policy }
}
