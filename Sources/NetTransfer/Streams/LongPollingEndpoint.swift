public import NetClient
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

extension NetworkClientProtocol {
    /// Asks an endpoint again and again, and gives its answers (seed 003).
    ///
    /// ```swift
    /// for await messages in client.poll(MessagesEndpoint()) { print(messages) }
    /// ```
    ///
    /// A request is sent when an answer is asked for, and the next when the one behind it is: never two at once. Cancelling the task that
    /// reads stops it at once.
    ///
    /// | What came | What follows |
    /// |---|---|
    /// | a timeout, 408 | asks again at once |
    /// | 204, 304, an empty body | waits for the retry interval, asks again |
    /// | 5xx (but 501 and 505), 429 | waits for the retry interval, or what `Retry-After` says, asks again |
    /// | no connection, or a lost one | waits for twice the retry interval, asks again |
    /// | any other status, such as 401, 403 and 404; an answer that cannot be decoded | stops |
    /// | too many errors in a row | stops |
    ///
    /// By its retry policy the client repeats nothing here, and its cache does not answer. New credentials after a 401 are tried first, as
    /// for any request.
    ///
    /// A client that is no `NetworkClient`, such as a mock, is asked by ``NetworkClientProtocol/request(_:)``; then timeouts are its own
    /// affair, and it is the system's clock that is waited by.
    ///
    /// - Parameters:
    ///   - endpoint: is asked for its headers and the like each time.
    ///   - configuration: nil for the endpoint's own.
    public func poll<E: LongPollingEndpoint>(
        _ endpoint: E, configuration: LongPollingConfiguration? = nil
    ) -> LongPollingSequence<E.Response> where E.Response: Decodable & Sendable {
        let configuration =
            configuration
            ?? LongPollingConfiguration(timeout: endpoint.pollingTimeout, retryInterval: endpoint.retryInterval)
        let client = self as? NetworkClient
        return LongPollingSequence(
            poll: LongPoll(
                clock: client?.clock ?? .system, configuration: configuration,
                send: {
                    if let client { return try await client.answer(of: endpoint, within: configuration.timeout) }
                    do throws(NetworkFailure) {
                        return try await self.request(endpoint)
                    } catch {
                        if error.cause == .noData { return nil }
                        throw error
                    }
                }, shouldContinue: { endpoint.shouldContinuePolling(after: $0) }))
    }
}

extension NetworkClient {
    /// Polls once: nil for an answer that is empty.
    @concurrent
    fileprivate func answer<E: Endpoint>(
        of endpoint: E, within timeout: TimeInterval
    ) async throws(NetworkFailure) -> E.Response? where E.Response: Decodable & Sendable {
        var options = CallOptions()
        options.timeout = timeout
        options.foundationCachePolicy = .reloadIgnoringLocalCacheData
        var call = try prepared(options) { try lower(endpoint) }
        call.context.takesNoRetries()
        let response = try await response(for: call.request, body: call.body, context: call.context)
        guard response.status != 204, response.status != 304 else { return nil }
        let answer: NetworkResponse<E.Response> = CallOutcome(request: call.request, result: .success(response))
            .serialized(by: DecodableSerializer(decoder: decoder), timestamp: clock.now)
        let isEmptyOptional = answer.data?.isEmpty == true && E.Response.self is any ExpressibleByNilLiteral.Type
        if answer.error == .noData || isEmptyOptional { return nil }
        do {
            return try answer.get()
        } catch {
            throw answer.failure ?? NetworkFailure(cause: error, timestamp: clock.now)
        }
    }
}
