/// A request as it was sent, safe to log: secrets are left out when the snapshot is taken.
public struct RequestSnapshot: Hashable, Sendable, CustomStringConvertible {
    /// The URL, without user information, and with `[REDACTED]` for the fragment and for query values that are not known to be harmless.
    public let url: URL?
    /// The method.
    public let method: String?
    /// The headers; the value of one that may carry a secret reads `[REDACTED]`.
    public let headers: HTTPHeaders

    /// Takes a snapshot.
    public init(_ request: URLRequest) {
        let redactor = Redactor.standard
        // Encoded already: left to URL(string:), a bracket makes it encode the percent signs of the rest once more.
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
    /// The status code.
    public let statusCode: Int
    /// The headers; the value of one that may carry a secret reads `[REDACTED]`.
    public let headers: HTTPHeaders
    /// The start of the body as text, at most 1,024 bytes; nil if there was none or it is not UTF-8. It is the server's
    /// own words and may hold personal data: it is in no description and no `dump`.
    public let bodyPreview: String?

    /// Takes a snapshot.
    public init(statusCode: Int, headers: HTTPHeaders, body: Data? = nil) {
        self.statusCode = statusCode
        self.headers = headers.redacted(by: .standard)
        bodyPreview = body.flatMap { $0.isEmpty ? nil : Self.preview(of: $0) }
    }

    /// The status and the class of the code.
    public var description: String { "\(statusCode) \(statusCode.statusCodeType)" }

    /// Status and headers; not the body.
    public var customMirror: Mirror { Mirror(self, children: ["statusCode": statusCode, "headers": headers]) }

    private static func preview(of body: Data) -> String? {
        let start = body.prefix(1024)
        // The cut may have gone through a character of up to four bytes: what is left of it goes.
        for dropped in 0...(start.count < body.count ? 3 : 0) {
            if let text = String(data: start.dropLast(dropped), encoding: .utf8) { return text }
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

/// An error whose description may be logged whole: it holds no secret, and nothing of a body.
///
/// What plugins, Foundation and decoders throw makes no such promise: a `URLError` names the whole URL, a `DecodingError`
/// the value it met, an `EncodingError` the value to be sent. Of those only the kind is shown.
package protocol SecretFreeError: Error, CustomStringConvertible {}

extension NetworkError: SecretFreeError {}
extension NetworkFailure: SecretFreeError {}
extension TransportError: SecretFreeError {}
extension RequestBuildingError: SecretFreeError {}

/// What may be shown of an error, in one line.
package func secretFreeText(of error: any Error) -> String {
    switch error {
    case let error as any SecretFreeError: error.description.onOneLine.withoutSecrets
    case let error as DecodingError: error.secretFreeSummary.onOneLine
    case let error as EncodingError: error.secretFreeSummary.onOneLine
    case let error as URLError: "URLError \(error.code.rawValue)"
    default: kind(of: error)
    }
}

/// Type and case of a Swift error, domain and code of another.
private func kind(of error: any Error) -> String {
    let bridged = error as NSError
    return "\(bridged.domain) \(bridged.code)".onOneLine
}

extension DecodingError {
    /// Where and what kind of mismatch, without the values that were read, and the media type where that is not JSON.
    fileprivate var secretFreeSummary: String {
        let summary = DecodingMismatch(self).summary
        return body?.foreignContentType.map { "\(summary); the response is \($0)" } ?? summary
    }
}

extension EncodingError {
    /// Where and what kind of value, without the value.
    fileprivate var secretFreeSummary: String {
        switch self {
        case .invalidValue(let value, let context):
            "cannot encode the \(type(of: value)) at \(context.codingPath.isEmpty ? "the top level" : context.codingPath.shownPath)"
        @unknown default: "unencodable value"
        }
    }
}
