public import NetCore

extension NetworkLogger {
    /// Logs a request: method, URL, headers, and of the body what ``sanitization`` lets through, or size and type.
    ///
    /// - Parameters:
    ///   - request: as it is about to be sent.
    ///   - body: its body, where that is not in the request itself. It is not read.
    ///   - requestID: the call it belongs to.
    public func log(request: URLRequest, body: HTTPBody? = nil, requestID: RequestID? = nil) {
        write(
            text.request(request, body: body, isVerbose: true), level: .info, privacy: .public, requestID: requestID)
    }

    /// Logs what came of a request: status, headers, size of the body, and the error; and, in a message of its own that is
    /// ``LogPrivacy/private`` (seed 000), the body, if ``sanitization`` lets something of it through.
    ///
    /// - Parameters:
    ///   - responseData: the body.
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
        write(
            text.response(response, data: responseData, error: error), level: level, privacy: .public,
            requestID: requestID)
        guard isEnabled(for: level), let responseData,
            let body = BodyText(redactor: sanitization.redactor).shown(responseData, contentType: response?.contentType)
        else { return }
        write("⬅️ Body: \(body)", level: level, privacy: .private, requestID: requestID)
    }

    /// Logs a request as a command line of curl, to be run in a terminal.
    ///
    /// - Parameters:
    ///   - request: as it is about to be sent.
    ///   - body: its body, where that is not in the request itself. It is not read.
    ///   - redacting: whether secrets are left out, by ``sanitization``. With false the message is ``LogPrivacy/sensitive``, and
    ///     sinks show it only if they are told to show what is private.
    ///   - requestID: the call it belongs to.
    public func cURLLog(
        request: URLRequest, body: HTTPBody? = nil, redacting: Bool = true, requestID: RequestID? = nil
    ) {
        write(
            CURLCommand(request: request, body: body, sanitization: redacting ? sanitization : .none).text,
            level: .debug,
            privacy: redacting ? .public : .sensitive, requestID: requestID)
    }

    private var text: MessageText { MessageText(redactor: sanitization.redactor) }
}

extension URLResponse {
    /// With its parameters, which `mimeType` leaves out.
    fileprivate var contentType: String? {
        (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type") ?? mimeType
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
