public import NetClient
public import NetCore

/// An endpoint that responds when it has news: see ``NetworkClientProtocol/poll(_:configuration:)``.
///
/// ```swift
/// struct MessagesEndpoint: LongPollingEndpoint {
///     var path: String { "/messages/poll" }
///     typealias Response = [String]
/// }
/// ```
public protocol LongPollingEndpoint: Endpoint, ProtocolDefaults.LongPollingEndpointMembers {
    /// How long a response may take, in seconds; 30 by default. After that, the next request is sent.
    var pollingTimeout: TimeInterval { get }

    /// The pause after an empty response or a server error, in seconds; 1 by default.
    var retryInterval: TimeInterval { get }

    /// Returns whether to continue after a response, which is delivered in any case. True by default.
    func shouldContinuePolling(after response: Response) -> Bool
}

extension ProtocolDefaults {
    /// The members of a ``LongPollingEndpoint`` that have a default, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol LongPollingEndpointMembers: Sendable {
        associatedtype DeclaredPollingTimeout = TimeInterval
        associatedtype DeclaredRetryInterval = TimeInterval
        associatedtype DeclaredPolledResponse

        var pollingTimeout: DeclaredPollingTimeout { get }
        var retryInterval: DeclaredRetryInterval { get }
        /// The requirement of a ``LongPollingEndpoint``, in the declared type.
        func shouldContinuePolling(after response: DeclaredPolledResponse) -> Bool
    }
}

extension LongPollingEndpoint where DeclaredPollingTimeout == TimeInterval {
    public var pollingTimeout: TimeInterval { 30 }
}

extension LongPollingEndpoint where DeclaredPollingTimeout: BinaryInteger {
    public var pollingTimeout: TimeInterval { TimeInterval(pollingTimeout as DeclaredPollingTimeout) }
}

extension LongPollingEndpoint where DeclaredRetryInterval == TimeInterval {
    public var retryInterval: TimeInterval { 1 }
}

extension LongPollingEndpoint where DeclaredRetryInterval: BinaryInteger {
    public var retryInterval: TimeInterval { TimeInterval(retryInterval as DeclaredRetryInterval) }
}

extension LongPollingEndpoint where DeclaredPolledResponse == Response {
    /// Always.
    public func shouldContinuePolling(after response: Response) -> Bool { true }
}

extension LongPollingEndpoint {
    @available(*, unavailable, message: "Declare `pollingTimeout` as `TimeInterval`, in seconds.")
    public var pollingTimeout: TimeInterval { 30 }

    @available(*, unavailable, message: "Declare `retryInterval` as `TimeInterval`, in seconds.")
    public var retryInterval: TimeInterval { 1 }

    @available(*, unavailable, message: "Declare `shouldContinuePolling(after:)` with the endpoint's `Response`.")
    public func shouldContinuePolling(after response: Response) -> Bool { true }
}

/// The times of long polling, in place of those of a ``LongPollingEndpoint``.
public struct LongPollingConfiguration: Hashable, Sendable {
    /// How long a response may take, in seconds. Zero or less leaves it to the client.
    public var timeout: TimeInterval
    /// The pause after an empty response or a server error, in seconds. Twice as long after a lost connection.
    public var retryInterval: TimeInterval
    /// How many errors in a row stop polling. Less than one counts as one. A response, even an empty one, and a timeout reset the count.
    public var maxConsecutiveErrors: Int

    public init(timeout: TimeInterval = 30, retryInterval: TimeInterval = 1, maxConsecutiveErrors: Int = 5) {
        self.timeout = timeout
        self.retryInterval = retryInterval
        self.maxConsecutiveErrors = maxConsecutiveErrors
    }

    /// A timeout of 10 s and a pause of 0.5 s, for time-critical data.
    public static let short = LongPollingConfiguration(timeout: 10, retryInterval: 0.5)
    /// A timeout of 30 s and a pause of 1 s.
    public static let standard = LongPollingConfiguration()
    /// A timeout of 60 s and a pause of 2 s, for a low load on the server.
    public static let long = LongPollingConfiguration(timeout: 60, retryInterval: 2)
    /// A timeout of 15 s and a pause of 0.1 s.
    public static let realtime = LongPollingConfiguration(timeout: 15, retryInterval: 0.1)
}

extension NetworkClientProtocol {
    /// Polls an endpoint repeatedly, and returns its responses.
    ///
    /// ```swift
    /// for await messages in client.poll(MessagesEndpoint()) { print(messages) }
    /// ```
    ///
    /// A request is sent when a response is awaited, never two at once. Cancelling the task that reads stops it at once.
    ///
    /// | Outcome | What follows |
    /// |---|---|
    /// | a timeout, 408 | the next request at once |
    /// | 204, 304, an empty body | the next request after the retry interval |
    /// | 5xx (except 501 and 505), 429 | the next request after the retry interval or `Retry-After` |
    /// | no connection, or a lost one | the next request after twice the retry interval |
    /// | another status, such as 401, 403 and 404; a response that cannot be decoded | the end |
    /// | too many errors in a row | the end |
    ///
    /// The client's retry policy and cache do not apply. A 401 leads to a re-authentication first, as for any request.
    ///
    /// Another client, such as a mock, is asked with ``NetworkClientProtocol/request(_:)``. It times out itself, and pauses use the system's clock.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint. Each request reads its headers and other properties again.
    ///   - configuration: the times, or nil for the endpoint's.
    public func poll<E: LongPollingEndpoint>(
        _ endpoint: E, configuration: LongPollingConfiguration? = nil
    ) -> LongPollingSequence<E.Response> where E.Response: Decodable & Sendable {
        let configuration =
            configuration
            ?? LongPollingConfiguration(timeout: endpoint.pollingTimeout, retryInterval: endpoint.retryInterval)
        let client = self as? NetworkClient
        return LongPollingSequence(
            run: LongPollingRun(
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
    /// Polls once. Returns nil for an empty response.
    @concurrent
    fileprivate func answer<E: Endpoint>(
        of endpoint: E, within timeout: TimeInterval
    ) async throws(NetworkFailure) -> E.Response? where E.Response: Decodable & Sendable {
        var call = try build {
            var call = try self.call(for: endpoint, cachePolicy: .reloadIgnoringLocalCacheData)
            call.timeout = timeout
            return call
        }
        call.context.takesNoRetries()
        let response = try await response(for: call.request, body: call.body, context: call.context)
        guard response.status != 204, response.status != 304 else { return nil }
        let answer: NetworkResponse<E.Response> = CallOutcome(request: call.request, result: .success(response))
            .serialized(by: DecodableSerializer(decoder: decoder), timestamp: clock.now)
        let isEmptyOptional = answer.data?.isEmpty == true && E.Response.self is any ExpressibleByNilLiteral.Type
        if answer.error == .noData || isEmptyOptional { return nil }
        return try answer.getOrFailure()
    }
}
