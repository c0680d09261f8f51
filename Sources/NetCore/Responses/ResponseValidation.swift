/// Which responses are accepted: by their status, their content type, and checks of your own.
///
/// ```swift
/// let validation: ResponseValidation = [.statusCodes(200..<300), .statusCodes(404), .contentTypes("application/json")]
/// var context = RequestContext()
/// context.validation = validation
/// let (data, _) = try await client.data(for: request, context: context)
/// ```
///
/// Several rules on statuses accept what one of them accepts, and so do several on content types; checks have to pass all. Without a
/// rule on statuses, 200 to 299 are accepted. For one call it goes into ``RequestContext/validation``, for all calls of a client into a
/// `ValidationInterceptor`.
///
/// What is not accepted becomes a typed failure: a status ``NetworkError/requestFailed(statusCode:data:)``, a content type
/// ``NetworkError/decodingError(_:)`` with an ``UnacceptableContentType`` inside (the request was successful, and nothing is wrong with
/// the network: what came cannot be made into what was asked for). What a check throws stands, if it is a ``NetworkError``; anything
/// else is a decoding error as well.
public struct ResponseValidation: Sendable {
    /// A rule of your own. See ``custom(_:)``.
    package typealias Check = @Sendable (_ response: TransportResponse, _ data: Data?) throws -> Void

    /// The statuses that are accepted; nil for 200 to 299.
    package let statusCodes: [ClosedRange<Int>]?
    /// The media ranges that are accepted; empty for all.
    package let contentTypes: [String]
    /// What else has to pass.
    package let checks: [Check]

    private init(
        statusCodes: [ClosedRange<Int>]? = nil, contentTypes: [String] = [], checks: [Check] = []
    ) {
        self.statusCodes = statusCodes
        self.contentTypes = contentTypes
        self.checks = checks
    }

    /// Accepts 200 to 299, whatever the content: what a call does that says nothing.
    public static let successful = ResponseValidation(statusCodes: nil)

    /// Accepts these statuses. An empty range accepts none.
    public static func statusCodes(_ codes: Range<Int>) -> ResponseValidation {
        ResponseValidation(statusCodes: codes.isEmpty ? [] : [codes.lowerBound...codes.upperBound - 1])
    }

    /// Accepts these statuses.
    public static func statusCodes(_ codes: ClosedRange<Int>) -> ResponseValidation {
        ResponseValidation(statusCodes: [codes])
    }

    /// Accepts these statuses.
    public static func statusCodes(_ codes: Int...) -> ResponseValidation {
        ResponseValidation(statusCodes: codes.map { $0...$0 })
    }

    /// Accepts these media types, or ranges of them (RFC 9110, section 12.5.1): `application/json`, `text/*`, `*/*`.
    ///
    /// Parameters, such as a character set, do not count on either side. A response without content is accepted whatever its type; one
    /// with content and no `Content-Type` counts as `application/octet-stream` (section 8.3). A text that is no media range makes the
    /// call fail with ``NetworkError/unsupported(_:)``.
    public static func contentTypes(_ types: String...) -> ResponseValidation {
        ResponseValidation(contentTypes: types)
    }

    /// Accepts what the closure lets pass.
    ///
    /// - Parameter check: gets the response and its body, which is nil where the caller reads it as a stream; throws to refuse. Called
    ///   only for a response whose status and content type are accepted.
    public static func custom(
        _ check: @escaping @Sendable (_ response: TransportResponse, _ data: Data?) throws -> Void
    ) -> ResponseValidation {
        ResponseValidation(checks: [check])
    }

    /// The rules of both.
    public func merging(_ other: ResponseValidation) -> ResponseValidation {
        ResponseValidation(
            statusCodes: statusCodes.map { $0 + (other.statusCodes ?? []) } ?? other.statusCodes,
            contentTypes: contentTypes + other.contentTypes, checks: checks + other.checks)
    }
}

extension ResponseValidation {
    /// Whether a status is accepted.
    package static func accepts(_ status: Int, among codes: [ClosedRange<Int>]?) -> Bool {
        codes.map { $0.contains { $0.contains(status) } } ?? (200..<300).contains(status)
    }

    /// Holds the content of a response to the rules: its type, then what the checks say.
    ///
    /// - Parameter data: the body; nil if it is not read yet.
    package func validateContent(of response: TransportResponse, data: Data?) throws {
        if !contentTypes.isEmpty, response.mayHaveContent(data) { try validateType(of: response) }
        for check in checks { try check(response, data) }
    }

    private func validateType(of response: TransportResponse) throws {
        let field = response.headers["Content-Type"]
        let received = MediaType(field ?? "application/octet-stream")
        for text in contentTypes {
            guard let range = MediaType(text) else {
                throw NetworkError.unsupported(
                    "'\(text)' is no media range. Write it as 'application/json', 'text/*' or '*/*'.")
            }
            if received?.isIn(range) == true { return }
        }
        throw UnacceptableContentType(expected: contentTypes, received: field)
    }
}

extension ResponseValidation: ExpressibleByArrayLiteral {
    /// The rules of all elements.
    public init(arrayLiteral elements: ResponseValidation...) {
        self = elements.reduce(.successful) { $0.merging($1) }
    }
}

extension TransportResponse {
    fileprivate func mayHaveContent(_ data: Data?) -> Bool {
        if let length = data?.count { return length > 0 }
        return status != 204 && status != 205 && status != 304 && body.length != 0 && headers["Content-Length"] != "0"
            && request?.httpMethod != HTTPMethod.head.rawValue
    }
}

/// A response was of a content type that is not accepted: inside ``NetworkError/decodingError(_:)``.
public struct UnacceptableContentType: Error, Hashable, Sendable, CustomStringConvertible {
    /// The media ranges that are accepted.
    public let expected: [String]
    /// The value of the response's `Content-Type`; nil if there was none.
    public let received: String?

    /// An error.
    public init(expected: [String], received: String?) {
        self.expected = expected
        self.received = received
    }

    /// What was expected, and what came: at most 100 characters of it.
    public var description: String {
        "expected \(expected.joined(separator: ", ")), received \(received.map { String($0.prefix(100)) } ?? "no Content-Type")"
    }
}

extension UnacceptableContentType: SecretFreeError {}

extension RequestContext {
    /// Which responses this call accepts, in place of the client's own rules; nil for those. Held to by the calls that judge a response:
    /// `NetworkClient.data(for:)`, `value(for:)` and what stands on them.
    public var validation: ResponseValidation? {
        get { self[ResponseValidationKey.self] }
        set { self[ResponseValidationKey.self] = newValue }
    }
}

private enum ResponseValidationKey: RequestContextKey {
    static let defaultValue: ResponseValidation? = nil
}
