import NetCore

/// Formats requests, responses and errors, without their secrets.
struct MessageText: Sendable {
    let redactor: Redactor

    /// Returns `➡️ POST https://api.example.com/login?token=[REDACTED]`, and if verbose a line each for headers and body.
    func request(_ request: URLRequest, body: HTTPBody?, attempt: Int = 0, isVerbose: Bool) -> String {
        let url = request.url.map(redactor.text(of:)) ?? "(no URL)"
        var text = "➡️ \(request.httpMethod ?? "GET") \(url)".onOneLine
        if attempt > 0 { text += " (attempt \(attempt))" }
        guard isVerbose else { return text }
        let headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        text += self.headers(headers)
        append(request, body, headers, to: &text)
        return text
    }

    /// Returns `⬅️ 200 https://api.example.com/login, 512 bytes in 12 ms`, and if verbose headers and body.
    func response(
        _ response: TransportResponse, to request: URLRequest, after seconds: TimeInterval, isVerbose: Bool
    ) -> String {
        let url = (response.url ?? request.url).map { " " + redactor.text(of: $0) } ?? ""
        let length = response.body.length ?? response.headers["Content-Length"].flatMap { Int64($0) }
        let bytes = length.map { BodyText.summary(length: $0, contentType: nil) }
        let size = bytes.map { response.body.isStream ? "a stream of \($0)" : $0 } ?? "a stream"
        var line = "⬅️ \(response.status)\(url), \(size) in \(Self.milliseconds(seconds))".onOneLine
        let retries = response.retryTrace.retries.count
        if retries > 0 { line += ", after \(retries == 1 ? "1 retry" : "\(retries) retries")" }
        if let cache = CallMetrics.CacheState(response) { line += ", cache: \(cache)" }
        guard isVerbose else { return line }
        let type = response.headers["Content-Type"]
        let shown = response.body.shown(response.headers, by: BodyText(redactor: redactor))
        return line + headers(response.headers) + "\n   Body: \(shown ?? size + (type.map { ", \($0)" } ?? ""))"
    }

    /// Returns `⏹️ 200 https://api.example.com/file, 500 of 1000 bytes in 12 ms: truncated_body while receiving_body: …`.
    func end(of reading: BodyReading, length: Int64?, status: Int, url: URL?, after seconds: TimeInterval) -> String {
        let url = url.map { " " + redactor.text(of: $0) } ?? ""
        let part = length == nil || length == reading.bytes ? "" : "\(reading.bytes) of "
        let size = BodyText.summary(length: length ?? reading.bytes, contentType: nil)
        let line = "⏹️ \(status)\(url), \(part)\(size) in \(Self.milliseconds(seconds))".onOneLine
        if let error = reading.error { return "\(line): \(self.error(error))" }
        return reading.isComplete ? line : "\(line), not read to the end"
    }

    /// Formats the arguments of a completion handler, any of which may be missing.
    func response(_ response: URLResponse?, data: Data?, error: (any Error)?) -> String {
        var line = error == nil ? "⬅️" : "❌"
        var headers = HTTPHeaders()
        if let http = response as? HTTPURLResponse {
            line += " \(http.statusCode)"
            for (name, value) in http.allHeaderFields { headers.append(name: "\(name)", value: "\(value)") }
        }
        if let url = response?.url { line += " " + redactor.text(of: url) }
        if let error { line += " " + self.error(error) }
        guard response != nil || data != nil else { return line }
        line += self.headers(headers)
        guard let data else { return line }
        return line + "\n   Body: " + BodyText.summary(length: Int64(data.count), contentType: headers["Content-Type"])
    }

    /// Returns `❌ timeout, GET https://api.example.com/users, after 12 ms`. A failure names its request itself: that of the
    /// failed hop, as it was sent.
    func failure(_ error: any Error, of request: URLRequest, after seconds: TimeInterval) -> String {
        let namesRequest = (error as? NetworkFailure)?.request != nil
        let name = namesRequest ? "" : ", \(RequestSnapshot(request))"
        var line = "❌ \(self.error(error))\(name), after \(Self.milliseconds(seconds))"
        if let trace = (error as? NetworkFailure)?.retryTrace, !trace.retries.isEmpty {
            line += " and \(trace.attempts) attempts"
        }
        return line
    }

    /// Returns text without secrets: the descriptions of our own errors, and type and code of others. Without a redactor, the
    /// whole text of the error.
    func error(_ error: any Error) -> String {
        guard redactor.isEnabled else { return Self.wholeText(of: error) }
        return error is CancellationError ? "cancelled" : secretFreeText(of: error)
    }

    /// Returns `↪️ 302, on to GET https://api.example.com/login`.
    func redirect(_ status: Int, to request: URLRequest) -> String {
        let url = request.url.map(redactor.text(of:)) ?? "(no URL)"
        return "↪️ \(status), on to \(request.httpMethod ?? "GET") \(url)".onOneLine
    }

    /// Returns `🔁 attempt 0: request_failed 503; again by policy after 2.1 s`.
    func retry(_ retry: RetryTrace.Retry) -> String { "🔁 \(retry)" }

    private func headers(_ headers: HTTPHeaders) -> String {
        guard !headers.isEmpty else { return "" }
        let fields = headers.redacted(by: redactor).sorted { $0.name < $1.name }
        // Quoted, so that a value cannot fake another field.
        let list = fields.map { "\($0.name.debugDescription): \($0.value.debugDescription)" }
        return "\n   Headers: [\(list.joined(separator: ", "))]"
    }

    /// Appends the body of a request. A body may be long, so it is not copied into a text of its own first.
    private func append(_ request: URLRequest, _ body: HTTPBody?, _ headers: HTTPHeaders, to text: inout String) {
        let contentType = headers["Content-Type"]
        guard let body = body ?? request.httpBody.map({ HTTPBody($0) }) else {
            if request.httpBodyStream != nil {
                text += "\n   Body: " + BodyText.summary(length: nil, contentType: contentType)
            }
            return
        }
        let summary = BodyText.summary(
            length: body.length, contentType: contentType, coding: headers["Content-Encoding"])
        let shown = body.shown(headers, by: BodyText(redactor: redactor))
        text += "\n   Body: "
        text += shown ?? summary
        if shown != nil, body.uncoded != nil { text += " (\(summary))" }
    }

    /// For debugging: with embedded errors, which an error's own description leaves out.
    private static func wholeText(of error: any Error) -> String {
        switch error {
        case let failure as NetworkFailure:
            "\(failure)" + (failure.underlyingError.map { " (\(wholeText(of: $0)))" } ?? "")
        case NetworkError.unknown(let error?): wholeText(of: error)
        case NetworkError.unsupported(let advice): "unsupported: \(advice)"
        case let error as NetworkError: error.code + (error.embeddedError.map { " (\(wholeText(of: $0)))" } ?? "")
        case let error as TransportError: "\(error.code.rawValue): \(error.message)"
        default: "\(error)"
        }
    }

    /// A custom clock may return any number, even one beyond `Int`.
    private static func milliseconds(_ seconds: TimeInterval) -> String {
        Int(exactly: (seconds * 1000).rounded()).map { "\($0) ms" } ?? "unknown time"
    }
}
