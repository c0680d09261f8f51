import NetCore
import NetLogging

extension HTTPArchive.Request {
    /// As an error names it.
    var summary: String { "\(method) \(URL(string: url).map { Redactor.standard.text(of: $0) } ?? "?")" }
}

extension HTTPArchive.Entry {
    /// The recorded response.
    ///
    /// - Throws: ``NetTestingError/notRecorded(_:)`` if there was none, or its body was not kept.
    func response(to request: URLRequest) throws -> TransportResponse {
        guard response.status > 0 else {
            throw NetTestingError.notRecorded(
                "\(self.request.summary) had no response when it was recorded: \(error ?? "?")")
        }
        let content = response.content
        guard content.text == nil || content.data != nil, content.data != nil || content.size <= 0 || isBodiless else {
            throw NetTestingError.notRecorded(
                "The body of the response to \(self.request.summary) is not in the recording: \(content.comment ?? "no text")."
            )
        }
        let body = content.data ?? Data()
        var headers = HTTPHeaders(received: response.headers.map { HTTPHeader(name: $0.name, value: $0.value) })
        // The recorded body is decoded, and whole.
        for name in ["Content-Encoding", "Transfer-Encoding"] { headers.remove(name: name) }
        if !isBodiless { headers.add(name: "Content-Length", value: String(body.count)) }
        if headers["Location"] == Redactor.mark, !response.redirectURL.isEmpty {
            headers.add(name: "Location", value: response.redirectURL)
        }
        return TransportResponse(
            status: response.status, headers: headers, url: request.url,
            version: HTTPVersion(rawValue: response.httpVersion), body: isBodiless ? .empty : HTTPBody(body)
        )
    }

    private var isBodiless: Bool {
        request.method == "HEAD" || (100..<200).contains(response.status) || response.status == 204
            || response.status == 304
    }
}
