public import NetCore

/// An endpoint that answers when there is news (seed 003): see ``NetworkClientProtocol/poll(_:configuration:)``.
///
/// ```swift
/// struct MessagesEndpoint: LongPollingEndpoint {
///     var path: String { "/messages/poll" }
///     typealias Response = [String]
/// }
/// ```
public protocol LongPollingEndpoint: Endpoint {
    /// How long the server may take for its answer, in seconds: 30 unless set. When it is over, the next request is sent.
    var pollingTimeout: TimeInterval { get }

    /// How long to wait after an empty answer or an error of the server, in seconds: 1 unless set.
    var retryInterval: TimeInterval { get }

    /// Whether to go on behind an answer, which is given in any case: always unless set.
    func shouldContinuePolling(after response: Response) -> Bool
}

extension LongPollingEndpoint {
    /// 30 seconds.
    public var pollingTimeout: TimeInterval { 30 }
    /// 1 second.
    public var retryInterval: TimeInterval { 1 }
    /// Always.
    public func shouldContinuePolling(after response: Response) -> Bool { true }
}
