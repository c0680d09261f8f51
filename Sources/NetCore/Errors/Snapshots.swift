/// A request as sent, safe to log: secrets are redacted when the snapshot is taken.
public struct RequestSnapshot: Hashable, Sendable, CustomStringConvertible {
    /// The URL, without user information, and with `[REDACTED]` for the fragment and for query values that are not known to be harmless.
    public let url: URL?
    public let method: String?
    /// The headers. Values that may be secret are `[REDACTED]`.
    public let headers: HTTPHeaders

    public init(_ request: URLRequest) {
        let redactor = Redactor.standard
        // The URL is encoded already. With a bracket in it, URL(string:) would encode its percent signs once more.
        url = request.url.flatMap { URL(string: redactor.validURL($0.absoluteString)) }
        method = request.httpMethod
        headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:]).redacted(by: redactor)
    }

    /// `GET https://api.example.com/users?q=[REDACTED]`.
    public var description: String {
        let address = url?.absoluteString.replacingOccurrences(of: Redactor.encodedMark, with: Redactor.mark)
        return "\(method ?? "GET") \(address ?? "(no URL)")".onOneLine
    }
}

/// A response's head and the start of its body.
public struct ResponseSnapshot: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let statusCode: Int
    /// The headers. Values that may be secret are `[REDACTED]`.
    public let headers: HTTPHeaders
    /// The start of the body as text, at most 1,024 bytes, or nil if empty or not UTF-8. No description or `dump` shows it: it may be personal data.
    public let bodyPreview: String?

    public init(statusCode: Int, headers: HTTPHeaders, body: Data? = nil) {
        self.statusCode = statusCode
        self.headers = headers.redacted(by: .standard)
        bodyPreview = body.flatMap { $0.isEmpty ? nil : Self.preview(of: $0) }
    }

    public var description: String { "\(statusCode) \(statusCode.statusCodeType)" }

    /// Status and headers, without the body.
    public var customMirror: Mirror { Mirror(self, children: ["statusCode": statusCode, "headers": headers]) }

    private static func preview(of body: Data) -> String? {
        let start = body.prefix(1024)
        // The cut may split a character of up to four bytes. The remains are dropped.
        for dropped in 0...(start.count < body.count ? 3 : 0) {
            if let text = String(data: start.dropLast(dropped), encoding: .utf8) { return text }
        }
        return nil
    }
}

extension HTTPHeaders {
    /// Returns the same fields with values redacted that may be secret.
    package func redacted(by redactor: Redactor) -> HTTPHeaders {
        HTTPHeaders(received: map { HTTPHeader(name: $0.name, value: redactor.headerValue($0.value, named: $0.name)) })
    }
}

/// An error whose description is safe to log: it holds no secret, and nothing of a body.
///
/// The errors of plugins, Foundation and decoders are not: a `URLError` contains the whole URL, a `DecodingError` the value found, an
/// `EncodingError` the value to send. Of those, only the kind is shown.
package protocol SecretFreeError: Error, CustomStringConvertible {}

/// Returns the text of an error that is safe to show, on one line.
package func secretFreeText(of error: any Error) -> String {
    switch error {
    case let error as any SecretFreeError: error.description.onOneLine.withoutSecrets
    case let error as DecodingError: error.secretFreeSummary.onOneLine
    case let error as EncodingError: error.secretFreeSummary.onOneLine
    case let error as URLError: "URLError \(error.code.rawValue)"
    // Type and case of a Swift error, or domain and code of an `NSError`.
    default: "\((error as NSError).domain) \((error as NSError).code)".onOneLine
    }
}

extension DecodingError {
    /// The path and the kind of mismatch without the values, and the media type if it is not JSON.
    fileprivate var secretFreeSummary: String {
        let summary = DecodingMismatch(self).summary
        return body?.foreignContentType.map { "\(summary); the response is \($0)" } ?? summary
    }
}

extension EncodingError {
    /// The path and the type of the value, without the value unless it is NaN or infinity, which most formats lack.
    fileprivate var secretFreeSummary: String {
        guard case .invalidValue(let value, let context) = self else { return "unencodable value" }
        let text = (value as? any FloatingPoint).map { $0.isFinite ? "" : " \($0)" } ?? ""
        return "cannot encode the \(type(of: value))\(text) at \(context.codingPath.shownPath ?? "the top level")"
    }
}
