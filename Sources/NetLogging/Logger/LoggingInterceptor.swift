public import NetCore

/// Logs each request that passes, its response or its error, with how long it took (seed 003).
///
/// As a call interceptor it logs each call once; among `interceptors:` each attempt. All lines of a call carry its
/// ``RequestContext/id``.
///
/// Nothing secret is logged, and nothing of a body but its size and type: a body is never read just to be logged. Bodies with
/// their secret fields left out come with issue 7.
///
/// ```swift
/// let client = NetworkClient(interceptors: [LoggingInterceptor(level: .minimal)])
/// ```
public struct LoggingInterceptor: HTTPInterceptor {
    /// How much is logged.
    public enum Level: Int, Comparable, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// A line for the request and one for what came of it.
        case minimal
        /// Headers, and size and type of the bodies, as well.
        case verbose

        /// More is greater.
        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private let level: Level
    private let logger: NetworkLogger

    /// An interceptor.
    public init(level: Level = .minimal, logger: NetworkLogger = NetworkLogger()) {
        self.level = level
        self.logger = logger
    }

    /// Sends the request on, and logs what happens. Changes neither request nor response nor error.
    ///
    /// The time is that until `next` gave the response: with a streamed body, until its head was there.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard level > .none, logger.isEnabled else { return try await next(request) }
        let isVerbose = level >= .verbose
        let id = next.context.id
        let clock = next.context.clock
        logger.logMessage(
            MessageText.request(request, body: next.body, withHeaders: isVerbose), level: .info, logPrivacy: .public,
            requestID: id)
        let start = clock.uptime
        do {
            let response = try await next(request)
            logger.logMessage(
                MessageText.response(response, to: request, after: clock.uptime - start, withHeaders: isVerbose),
                level: LogLevel(status: response.status), logPrivacy: .public, requestID: id)
            return response
        } catch {
            logger.logMessage(
                MessageText.failure(error, of: request, after: clock.uptime - start),
                level: Self.isCancellation(error) ? .info : .error, logPrivacy: .public, requestID: id)
            throw error
        }
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: true
        case let error as NetworkError: error.isCancellation
        case let failure as NetworkFailure: failure.isCancellation
        default: false
        }
    }
}
