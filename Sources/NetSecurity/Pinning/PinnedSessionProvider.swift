public import NetCore

/// A source of connections to pinned hosts (seed 000), the same on all platforms.
///
/// ```swift
/// let networking = Networking(sessionProvider: PinnedSessionProvider(policy: pinningPolicy))
/// ```
///
/// `Networking` takes the ``configuration`` and makes the platform's transport of it: `CurlTransport` on Linux, `URLSession` elsewhere.
public final class PinnedSessionProvider: URLSessionProviding {
    /// The settings, with the policy among them.
    public let configuration: TransportConfiguration
    private let made = Locked<URLSession?>(nil)
    private let policy: PinningPolicy

    /// A provider.
    ///
    /// - Parameters:
    ///   - policy: decides.
    ///   - configuration: all other settings; a ``TransportConfiguration/trustPolicy`` in it gives way.
    public init(policy: PinningPolicy, configuration: TransportConfiguration = TransportConfiguration()) {
        var configuration = configuration
        configuration.trustPolicy = policy
        self.configuration = configuration
        self.policy = policy
    }

    /// A provider that trusts whom the delegate trusts.
    public convenience init(_ delegate: PinningURLSessionDelegate) {
        self.init(policy: delegate.policy)
    }

    /// A session for code that wants one, the same each time. On Apple's systems it has the policy's delegate and otherwise the default
    /// configuration. On Linux, where no session can be pinned, everything that it is asked to load fails.
    public var session: URLSession {
        made.withLock { made in
            if let session = made { return session }
            let session = Self.makeSession(policy)
            made = session
            return session
        }
    }
}
