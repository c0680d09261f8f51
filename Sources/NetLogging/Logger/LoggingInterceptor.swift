public import NetCore

/// Logs each request, its response or error, and its duration.
///
/// Among `callInterceptors:` it logs each call: the request, every redirect and every retry with its reason, and the end. Among
/// `interceptors:` it logs each attempt. All lines of a call start with its ``RequestContext/id``.
///
/// ```swift
/// let client = NetworkClient(callInterceptors: [LoggingInterceptor(level: .verbose)])
/// // #7 ➡️ GET https://api.example.com/users?page=2
/// // #7 🔁 attempt 0: request_failed 503; again by policy after 0.5 s
/// // #7 ⬅️ 200 https://api.example.com/users?page=2, 312 bytes in 640 ms, after 1 retry
/// ```
///
/// Secrets are not logged unless `sanitization` allows them. The log shows bodies in memory that are short, and JSON or a form,
/// without their secrets. Of other bodies it shows size and type. It reads no stream.
public struct LoggingInterceptor: HTTPInterceptor, CredentialFreeInterceptor, UnsentCallReporting {
    /// The amount of detail.
    public enum Level: Int, Comparable, Sendable, CaseIterable {
        case none
        /// A line for the request, for each redirect and retry, and for the result.
        case minimal
        /// Headers and bodies too, and each attempt as it is sent.
        case verbose

        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private let level: Level
    private let text: MessageText
    let logger: NetworkLogger

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - level: the amount of detail.
    ///   - sanitization: the secrets to leave out.
    ///   - logger: the destination. Its own ``NetworkLogger/sanitization`` does not apply here.
    public init(
        level: Level = .minimal, sanitization: SanitizationConfig = .default, logger: NetworkLogger = NetworkLogger()
    ) {
        self.level = level
        text = MessageText(redactor: sanitization.redactor)
        self.logger = logger
    }

    /// Sends the request and logs its events. Changes neither request nor response nor error.
    ///
    /// The duration ends when `next` returns the response. For a streamed body, that is when the head has arrived; a further message tells
    /// when the body ended, how many bytes were read, and the error, if there was one.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard level > .none, logger.isEnabled else { return try await next(request) }
        let isVerbose = level >= .verbose
        let (id, clock) = (next.context.id, next.context.clock)
        if let offset = next.context[ResumptionKey.self] {
            logger.write("⏯️ resumption at byte \(offset)", level: .notice, requestID: id, part: .transfer)
        }
        logger.write(
            text.request(request, body: next.body, attempt: next.context.attempt, isVerbose: isVerbose), level: .info,
            requestID: id)
        var next = next
        next.context.observers.append(CallEventLogger(request, text: text, logger: logger, isVerbose: isVerbose))
        let start = clock.uptime
        do {
            var response = try await next(request)
            logger.write(
                text.response(response, to: request, after: clock.uptime - start, isVerbose: isVerbose),
                level: LogEvent.Level(status: response.status), requestID: id)
            guard response.body.isStream else { return response }
            let (status, url, length) = (response.status, response.url ?? request.url, response.body.length)
            response.body = response.body.watched { [logger, text] reading in
                logger.write(
                    text.end(of: reading, length: length, status: status, url: url, after: clock.uptime - start),
                    level: reading.error.map(Self.level(of:)) ?? .info, requestID: id)
            }
            return response
        } catch {
            logger.write(
                text.failure(error, of: request, after: clock.uptime - start),
                level: Self.level(of: error), requestID: id)
            throw error
        }
    }

    private static func level(of error: any Error) -> LogEvent.Level {
        NetworkError(error).isCancellation ? .info : .error
    }

    /// False at ``Level/none``: a client then leaves the interceptor out, and it costs nothing.
    public var isActive: Bool { level != .none }

    package func reportUnsent(_ report: String) { logger.logMessage(report, level: .warning, logPrivacy: .public) }
}

/// Logs the events between the request and its end.
private final class CallEventLogger: NoticeLog {
    private struct State {
        /// The last request in the log.
        var lastLogged: URLRequest
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
        state = Locked(State(lastLogged: request))
    }

    var observesSteps: Bool { false }

    func observe(_ event: NetworkEvent) {
        switch event.kind {
        case .retrying(let retry): write(text.retry(retry), level: .notice, event)
        case .notice(let message): write(message, level: .notice, event)
        case .responded(let response):
            let isRedirect = (300..<400).contains(response.status) && response.headers.contains(name: "Location")
            state.withLock { $0.redirect = isRedirect ? response.status : nil }
        case .sending(let request, let body):
            let (redirect, isChanged) = state.withLock { state in
                let redirect = state.redirect
                state.redirect = nil
                // Only a verbose log shows the change, and the comparison costs as much as the log of a short call.
                guard isVerbose else { return (redirect, false) }
                defer { state.lastLogged = request }
                let last = state.lastLogged
                return (redirect, redirect != nil || last.allHTTPHeaderFields != request.allHTTPHeaderFields)
            }
            if let redirect { write(text.redirect(redirect, to: request), level: .info, event) }
            guard isVerbose, isChanged || event.attempt > 0 else { return }
            let message = text.request(request, body: body, attempt: event.attempt, isVerbose: true)
            write("as sent: \(message)", level: .info, event)
        case .failed, .step: break
        }
    }

    private func write(_ message: @autoclosure () -> String, level: LogEvent.Level, _ event: NetworkEvent) {
        logger.write(message(), level: level, requestID: event.requestID, part: event.part)
    }
}
