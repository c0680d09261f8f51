public import NetCore

/// Logs each request that passes, its response or its error, with how long it took (seed 003).
///
/// Among `callInterceptors:` it tells the story of each call: the request, every redirect and every retry with its reason as it happens, and the
/// end. Among `interceptors:` it logs each attempt by itself. All lines of a call carry its ``RequestContext/id``.
///
/// ```swift
/// let client = NetworkClient(callInterceptors: [LoggingInterceptor(level: .verbose)])
/// // #7 ➡️ GET https://api.example.com/users?page=2
/// // #7 🔁 attempt 0: request_failed 503; again by policy after 0.5 s
/// // #7 ⬅️ 200 https://api.example.com/users?page=2, 312 bytes in 640 ms, after 1 retry
/// ```
///
/// Nothing secret is logged unless `sanitization` says so. Of bodies that are in memory, not long, and JSON or a form, what may be shown is; of
/// others size and type: none is read just to be logged.
public struct LoggingInterceptor: HTTPInterceptor {
    /// How much is logged.
    public enum Level: Int, Comparable, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// A line for the request, for each redirect and retry, and for what came of it.
        case minimal
        /// Headers and bodies as well, and each attempt as it is sent.
        case verbose

        /// More is greater.
        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private let level: Level
    private let text: MessageText
    let logger: NetworkLogger

    /// An interceptor.
    ///
    /// - Parameters:
    ///   - level: how much is logged.
    ///   - sanitization: what is left out.
    ///   - logger: where it goes; its own ``NetworkLogger/sanitization`` does not count here.
    public init(
        level: Level = .minimal, sanitization: SanitizationConfig = .default, logger: NetworkLogger = NetworkLogger()
    ) {
        self.level = level
        text = MessageText(redactor: sanitization.redactor)
        self.logger = logger
    }

    /// Sends the request on, and logs what happens. Changes neither request nor response nor error.
    ///
    /// The time is that until `next` gave the response: with a streamed body, until its head was there.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard level > .none, logger.isEnabled else { return try await next(request) }
        return try await log(request, next)
    }

    private func log(_ request: URLRequest, _ next: Next) async throws -> TransportResponse {
        let isVerbose = level >= .verbose
        let id = next.context.id
        let clock = next.context.clock
        logger.write(
            text.request(request, body: next.body, attempt: next.context.attempt, isVerbose: isVerbose), level: .info,
            privacy: .public, requestID: id)
        var next = next
        next.context.observers.append(StoryTeller(request, text: text, logger: logger, isVerbose: isVerbose))
        let start = clock.uptime
        do {
            let response = try await next(request)
            logger.write(
                text.response(response, to: request, after: clock.uptime - start, isVerbose: isVerbose),
                level: LogLevel(status: response.status), privacy: .public, requestID: id)
            return response
        } catch {
            logger.write(
                text.failure(error, of: request, after: clock.uptime - start),
                level: error.isCancellation ? .info : .error, privacy: .public, requestID: id)
            throw error
        }
    }
}

extension LoggingInterceptor {
    /// False at ``Level/none``: a client then leaves the interceptor out, and it costs nothing.
    public var isActive: Bool { level != .none }
}

extension LoggingInterceptor: UnsentCallReporting {
    package func reportUnsent(_ call: String, advice: String) {
        logger.logMessage(unsentCallText(call, advice: advice), level: .warning, logPrivacy: .public)
    }
}

/// Logs what happens between the request and its end.
private final class StoryTeller: NetworkEventObserver {
    private struct State {
        /// What the reader of the log knows to be on its way.
        var told: URLRequest
        var redirect: Int?
    }

    private let text: MessageText
    private let logger: NetworkLogger
    private let isVerbose: Bool
    private let state: Locked<State>

    init(_ request: URLRequest, text: MessageText, logger: NetworkLogger, isVerbose: Bool) {
        self.text = text
        self.logger = logger
        self.isVerbose = isVerbose
        state = Locked(State(told: request))
    }

    func observe(_ event: NetworkEvent) {
        switch event.kind {
        case .retrying(let retry): write(text.retry(retry), level: .notice, event)
        case .notice(let message): write(message, level: .notice, event)
        case .responded(let response):
            let isRedirect = (300..<400).contains(response.status) && response.headers.contains(name: "Location")
            state.withLock { $0.redirect = isRedirect ? response.status : nil }
        case .sending(let request, let body):
            let (redirect, isNews) = state.withLock { state in
                defer { state = State(told: request) }
                let isNews = state.told.allHTTPHeaderFields != request.allHTTPHeaderFields || state.redirect != nil
                return (state.redirect, isNews)
            }
            if let redirect { write(text.redirect(redirect, to: request), level: .info, event) }
            guard isVerbose, isNews || event.attempt > 0 else { return }
            let message = text.request(request, body: body, attempt: event.attempt, isVerbose: true)
            write("as sent: \(message)", level: .info, event)
        case .failed: break
        }
    }

    private func write(_ message: @autoclosure () -> String, level: LogLevel, _ event: NetworkEvent) {
        logger.write(message(), level: level, privacy: .public, requestID: event.requestID)
    }
}
