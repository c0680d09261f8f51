public import NetCore

extension NetworkLogger {
    /// Logs a request: method, URL, headers, size and type of the body. Nothing secret is in it.
    ///
    /// - Parameters:
    ///   - request: as it is about to be sent.
    ///   - body: its body, where that is not in the request itself. It is not read.
    ///   - requestID: the call it belongs to.
    public func log(request: URLRequest, body: HTTPBody? = nil, requestID: RequestID? = nil) {
        logMessage(
            MessageText.request(request, body: body, withHeaders: true), level: .info, logPrivacy: .public,
            requestID: requestID)
    }

    /// Logs what came of a request: status, headers, size of the body, and the error. Nothing secret is in it, and nothing
    /// of the body.
    ///
    /// - Parameters:
    ///   - responseData: the body; of it the size is shown.
    ///   - response: the head, usually an `HTTPURLResponse`.
    ///   - error: what went wrong. Of an error that is not this SDK's own, type and code are shown, and not its text, which
    ///     may hold anything.
    ///   - requestID: the call it belongs to.
    ///
    /// The level is `error` with an error or a status from 500, `warning` for one from 400, `info` otherwise.
    public func log(
        responseData: Data?, response: URLResponse?, error: (any Error)?, requestID: RequestID? = nil
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode
        let level = error == nil ? LogLevel(status: status ?? 200) : LogLevel.error
        logMessage(
            MessageText.response(response, data: responseData, error: error), level: level, logPrivacy: .public,
            requestID: requestID)
    }

    /// Logs a request as a command line of curl, to be run in a terminal.
    ///
    /// - Parameters:
    ///   - request: as it is about to be sent.
    ///   - body: its body, where that is not in the request itself. It is not read.
    ///   - redacting: whether secrets and the body are left out. With false the message is ``LogPrivacy/sensitive``, and
    ///     sinks show it only if they are told to show what is private.
    ///   - requestID: the call it belongs to.
    public func cURLLog(
        request: URLRequest, body: HTTPBody? = nil, redacting: Bool = true, requestID: RequestID? = nil
    ) {
        logMessage(
            CURLCommand(request: request, body: body, redacting: redacting).text, level: .debug,
            logPrivacy: redacting ? .public : .sensitive, requestID: requestID)
    }
}

extension LogLevel {
    /// By the class of a status.
    init(status: Int) {
        switch status.statusCodeType {
        case .serverError: self = .error
        case .clientError: self = .warning
        default: self = .info
        }
    }
}
