/// A request as it was sent, safe to log: secrets are left out when the snapshot is taken.
public struct RequestSnapshot: Hashable, Sendable, CustomStringConvertible {
    /// The URL, without user information, and with `[REDACTED]` for query values and fragment.
    public let url: URL?
    /// The method.
    public let method: String?
    /// The headers; the value of one that may carry a secret reads `[REDACTED]`.
    public let headers: HTTPHeaders

    /// Takes a snapshot.
    public init(_ request: URLRequest) {
        let redactor = Redactor.standard
        url = request.url.flatMap { URL(string: redactor.text(of: $0)) }
        method = request.httpMethod
        headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:]).redacted(by: redactor)
    }

    /// `GET https://api.example.com/users?q=[REDACTED]`.
    public var description: String {
        "\(method ?? "GET") \(url?.absoluteString.removingPercentEncoding ?? "(no URL)")"
    }
}

/// A response's head and the start of its body.
public struct ResponseSnapshot: Hashable, Sendable, CustomStringConvertible {
    /// The status code.
    public let statusCode: Int
    /// The headers; the value of one that may carry a secret reads `[REDACTED]`.
    public let headers: HTTPHeaders
    /// The start of the body as text, at most 1,024 bytes; nil if there was none or it is not UTF-8. It is the server's
    /// own words and may hold personal data: it is in no description.
    public let bodyPreview: String?

    /// Takes a snapshot.
    public init(statusCode: Int, headers: HTTPHeaders, body: Data? = nil) {
        self.statusCode = statusCode
        self.headers = headers.redacted(by: .standard)
        bodyPreview = body.flatMap { $0.isEmpty ? nil : Self.text(of: $0.prefix(1024)) }
    }

    /// The status and the class of the code.
    public var description: String { "\(statusCode) \(statusCode.statusCodeType)" }

    /// Up to three bytes of a character that the cut went through are dropped.
    private static func text(of data: Data) -> String? {
        for dropped in 0...3 {
            if let text = String(data: data.dropLast(dropped), encoding: .utf8) { return text }
        }
        return nil
    }
}

extension HTTPHeaders {
    /// The same fields, with the values that may be secret left out.
    package func redacted(by redactor: Redactor) -> HTTPHeaders {
        HTTPHeaders(received: map { HTTPHeader(name: $0.name, value: redactor.headerValue($0.value, named: $0.name)) })
    }
}
