#if !canImport(Security)
    import NetCore

    /// Trusts hosts by certificates in files (seed 000), where no `URLSession` can.
    ///
    /// It is not a `URLSessionDelegate` here: Foundation shows its delegates no certificates, so a session that took it would be pinned to
    /// nothing. The compiler says so. Hand it to a provider, or its policy to a transport:
    ///
    /// ```swift
    /// let networking = Networking(sessionProvider: PinnedSessionProvider(pinningDelegate))
    /// ```
    public final class PinningURLSessionDelegate: Sendable {
        /// Decides.
        public let policy: PinningPolicy

        /// A delegate that drives a policy.
        public init(policy: PinningPolicy) {
            self.policy = policy
        }
    }
#endif
