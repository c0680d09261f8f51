/// The rules by which a response is accepted: status, content type, and custom checks.
///
/// ```swift
/// let validation: ResponseValidation = [.statusCodes(200..<300), .statusCodes(404), .contentTypes("application/json")]
/// var context = RequestContext()
/// context.validation = validation
/// let (data, _) = try await client.data(for: request, context: context)
/// ```
///
/// A status has to match one of the rules for statuses, and a content type one of those for content types. Checks must all pass. Without
/// a rule for statuses, 200 to 299 are accepted. Set it in ``RequestContext/validation`` for one call, or in a `ValidationInterceptor`
/// for all calls of a client.
///
/// A refused status fails with ``NetworkError/requestFailed(statusCode:data:)``, a refused content type with
/// ``NetworkError/decodingError(_:)`` and an ``ResponseValidation/UnacceptableContentType`` inside, since the request itself succeeded. A check's
/// ``NetworkError`` is kept; any other error becomes a decoding error.
public struct ResponseValidation: Sendable {
    /// A custom check: see ``custom(_:)``.
    package typealias Check = @Sendable (_ response: TransportResponse, _ data: Data?) throws -> Void

    /// The accepted statuses, or nil for 200 to 299.
    package private(set) var statusCodes: [ClosedRange<Int>]?
    /// The accepted media ranges; empty for all.
    package private(set) var contentTypes: [String] = []
    package private(set) var checks: [Check] = []

    /// Accepts 200 to 299 with any content, as a call without rules does.
    public static let successful = ResponseValidation()

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

    /// Accepts these media types or ranges (RFC 9110, section 12.5.1): `application/json`, `text/*`, `*/*`.
    ///
    /// Parameters, such as a character set, are ignored. A response without content is accepted with any type; content without a `Content-Type`
    /// counts as `application/octet-stream` (section 8.3). With a malformed range, the call fails with ``NetworkError/unsupported(_:)``.
    public static func contentTypes(_ types: String...) -> ResponseValidation {
        ResponseValidation(contentTypes: types)
    }

    /// Accepts the responses for which a closure does not throw.
    ///
    /// - Parameter check: receives the response and its body, or nil if the caller streams the body. Called only if the status and the
    ///   content type are accepted.
    public static func custom(
        _ check: @escaping @Sendable (_ response: TransportResponse, _ data: Data?) throws -> Void
    ) -> ResponseValidation { ResponseValidation(checks: [check]) }

    /// Returns the rules of both.
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

    /// Checks the content type of a response, then runs the custom checks.
    ///
    /// - Parameter data: the body, or nil if it has not been read.
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
                    "'\(text)' is not a media range. Write it as 'application/json', 'text/*' or '*/*'.")
            }
            if received?.isIn(range) == true { return }
        }
        throw UnacceptableContentType(expected: contentTypes, received: field)
    }

    /// A response has a content type that is not accepted. It is inside a ``NetworkError/decodingError(_:)``.
    public struct UnacceptableContentType: Error, Hashable, Sendable, CustomStringConvertible, SecretFreeError {
        /// The accepted media ranges.
        public let expected: [String]
        /// The response's `Content-Type`, or nil if it has none.
        public let received: String?

        public init(expected: [String], received: String?) {
            self.expected = expected
            self.received = received
        }

        /// The expected and the received type, cut to 100 characters.
        public var description: String {
            "expected \(expected.joined(separator: ", ")), received \(received.map { String($0.prefix(100)) } ?? "no Content-Type")"
        }
    }
}

extension ResponseValidation: ExpressibleByArrayLiteral {
    /// Creates the rules of all elements.
    public init(arrayLiteral elements: ResponseValidation...) { self = elements.reduce(.successful) { $0.merging($1) } }
}

extension TransportResponse {
    fileprivate func mayHaveContent(_ data: Data?) -> Bool {
        if let length = data?.count { return length > 0 }
        return status != 204 && status != 205 && status != 304 && body.length != 0 && headers["Content-Length"] != "0"
            && request?.httpMethod != HTTPMethod.head.rawValue
    }
}

extension RequestContext {
    /// The rules of this call, or nil for the client's. They apply to calls that check a response: `NetworkClient.data(for:)`,
    /// `value(for:)` and those based on them.
    public var validation: ResponseValidation? {
        get { self[ResponseValidationKey.self] }
        set { self[ResponseValidationKey.self] = newValue }
    }
}

private enum ResponseValidationKey: RequestContext.Key { static let defaultValue: ResponseValidation? = nil }
