public import NetCore

/// How often to ask a ``LongPollingEndpoint``, in place of what it says itself (seed 003).
public struct LongPollingConfiguration: Hashable, Sendable {
    /// How long the server may take for its answer, in seconds. Zero or less leaves it to the client.
    public var timeout: TimeInterval
    /// How long to wait after an empty answer or an error of the server, in seconds; twice as long after a lost connection.
    public var retryInterval: TimeInterval
    /// Polling stops with the error that is the last of that many in a row; less than one counts as one. Answers, empty ones too, and
    /// timeouts begin a new count.
    public var maxConsecutiveErrors: Int

    /// A configuration.
    public init(timeout: TimeInterval = 30, retryInterval: TimeInterval = 1, maxConsecutiveErrors: Int = 5) {
        self.timeout = timeout
        self.retryInterval = retryInterval
        self.maxConsecutiveErrors = maxConsecutiveErrors
    }

    /// 10 s timeout, 0.5 s retry: for what is critical in real time.
    public static let short = LongPollingConfiguration(timeout: 10, retryInterval: 0.5)
    /// 30 s timeout, 1 s retry: balanced.
    public static let standard = LongPollingConfiguration()
    /// 60 s timeout, 2 s retry: little load for the server.
    public static let long = LongPollingConfiguration(timeout: 60, retryInterval: 2)
    /// 15 s timeout, 0.1 s retry: aggressive.
    public static let realtime = LongPollingConfiguration(timeout: 15, retryInterval: 0.1)
}
