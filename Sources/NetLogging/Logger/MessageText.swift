import NetCore

/// The texts for requests, responses and errors, without anything secret.
enum MessageText {
    /// `➡️ POST https://api.example.com/login?token=[REDACTED]`, and if wanted a line each for headers and body.
    static func request(_ request: URLRequest, body: HTTPBody?, withHeaders: Bool) -> String {
        let url = request.url.map(Redactor.standard.text(of:)) ?? "(no URL)"
        let line = "➡️ \(request.httpMethod ?? "GET") \(url)"
        guard withHeaders else { return line }
        let headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        var size: String?
        if let body {
            size = body.length.map(bytes) ?? "a stream of unknown length"
        } else if let data = request.httpBody {
            size = bytes(Int64(data.count))
        } else if request.httpBodyStream != nil {
            size = "a stream of unknown length"
        }
        return line + details(headers: headers, size: size)
    }

    /// `⬅️ 200 https://api.example.com/login, 512 bytes in 12 ms`, and if wanted the headers.
    static func response(
        _ response: TransportResponse, to request: URLRequest, after seconds: TimeInterval, withHeaders: Bool
    ) -> String {
        let url = (response.url ?? request.url).map { " " + Redactor.standard.text(of: $0) } ?? ""
        let length = response.body.length ?? response.headers["Content-Length"].flatMap { Int64($0) }
        let size = length.map(bytes) ?? "a stream"
        let line = "⬅️ \(response.status)\(url), \(size) in \(milliseconds(seconds))"
        return withHeaders ? line + details(headers: response.headers, size: size) : line
    }

    /// What completion handlers are given: any part may be missing.
    static func response(_ response: URLResponse?, data: Data?, error: (any Error)?) -> String {
        var line = error == nil ? "⬅️" : "❌"
        var headers = HTTPHeaders()
        if let http = response as? HTTPURLResponse {
            line += " \(http.statusCode)"
            for (name, value) in http.allHeaderFields { headers.append(name: "\(name)", value: "\(value)") }
        }
        if let url = response?.url { line += " " + Redactor.standard.text(of: url) }
        if let error { line += " " + self.error(error) }
        guard response != nil || data != nil else { return line }
        return line + details(headers: headers, size: data.map { bytes(Int64($0.count)) })
    }

    /// `❌ timeout, GET https://api.example.com/users, after 12 ms`. A failure names the request itself: the one of the hop
    /// that failed, with what was added further in.
    static func failure(_ error: any Error, of request: URLRequest, after seconds: TimeInterval) -> String {
        let namesRequest = (error as? NetworkFailure)?.request != nil
        let name = namesRequest ? "" : ", \(RequestSnapshot(request))"
        return "❌ \(self.error(error))\(name), after \(milliseconds(seconds))"
    }

    /// What is known to hold no secret: the descriptions of our own errors, and type and code of any other.
    static func error(_ error: any Error) -> String {
        error is CancellationError ? "cancelled" : secretFreeText(of: error)
    }

    private static func details(headers: HTTPHeaders, size: String?) -> String {
        var text = ""
        if !headers.isEmpty {
            let fields = headers.redacted(by: .standard).sorted { $0.name < $1.name }
            text += "\n   Headers: " + fields.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
        }
        if let size {
            text += "\n   Body: \(size)" + (headers["Content-Type"].map { ", \($0)" } ?? "")
        }
        return text
    }

    private static func bytes(_ count: Int64) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

    /// A clock of somebody else's may give anything, also what no `Int` can hold.
    private static func milliseconds(_ seconds: TimeInterval) -> String {
        Int(exactly: (seconds * 1000).rounded()).map { "\($0) ms" } ?? "unknown time"
    }
}
