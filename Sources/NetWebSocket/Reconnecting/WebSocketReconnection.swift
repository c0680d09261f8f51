public import NetCore

/// When a ``ReconnectingWebSocket`` connects again.
public struct WebSocketReconnection: Sendable {
    /// How long to wait before each attempt, by the client's clock. The first attempt after a loss has number 0, and so has the first
    /// after each connection that came about.
    public var delay: RetryDelay
    /// How many attempts in a row may fail; then the failure of the last one is given. Nil for no limit.
    public var maximumAttempts: Int?
    /// Whether to connect again after this failure: of a connection that was lost or closed, or of an attempt.
    public var shouldReconnect: @Sendable (NetworkFailure) -> Bool

    /// A rule.
    ///
    /// - Parameters:
    ///   - delay: how long to wait before each attempt.
    ///   - maximumAttempts: how many in a row may fail; nil for no limit.
    ///   - shouldReconnect: what is worth another attempt: see ``isTransient(_:)``, which is used unless another is given.
    public init(
        delay: RetryDelay = .fullJitter(base: 1, multiplier: 2, maximum: 30), maximumAttempts: Int? = nil,
        shouldReconnect: @escaping @Sendable (NetworkFailure) -> Bool = WebSocketReconnection.isTransient
    ) {
        self.delay = delay
        self.maximumAttempts = maximumAttempts
        self.shouldReconnect = shouldReconnect
    }

    /// Half a minute at the most between attempts, without an end.
    public static let `default` = WebSocketReconnection()

    /// Whether the failure may go away by itself: an outage (``NetworkFailure/isRetryable``), a ping without an answer, and the close codes
    /// 1001, 1005, 1006 and 1011 to 1014. Not 1000, nor what says that this client is at fault (1002, 1003, 1007 to 1010), nor
    /// an application's own codes.
    @Sendable public static func isTransient(_ failure: NetworkFailure) -> Bool {
        guard let error = failure.underlyingError as? WebSocketError else { return failure.isRetryable }
        switch error.code {
        case .pongMissing: return true
        case .closed:
            guard let code = error.closure?.code.rawValue else { return false }
            return [1001, 1005, 1006].contains(code) || (1011...1014).contains(code)
        default: return false
        }
    }
}
