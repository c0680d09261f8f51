/// A problem that the server reports in a response (RFC 9457): `application/problem+json`.
///
/// ```swift
/// do {
///     _ = try await client.data(for: request)
/// } catch {
///     if let problem = error.problemDetails { print(problem.title ?? problem.type) }
/// }
/// ```
///
/// A member of the wrong type is ignored (section 3.1). The XML form (appendix B of RFC 7807) is not supported.
public struct ProblemDetails: Hashable, Sendable {
    /// `application/problem+json`.
    public static let contentType = "application/problem+json"
    /// The kind of problem: a URI reference, relative to the response's URL (section 3.1.1), which may lead to documentation. `about:blank` if
    /// the status says everything.
    public var type: String
    /// A human-readable summary of the kind of problem.
    public var title: String?
    /// The status that the origin server generated. An intermediary may have changed the response's.
    public var status: Int?
    /// A human-readable explanation of this occurrence. It may hold personal data.
    public var detail: String?
    /// A URI reference that identifies this occurrence.
    public var instance: String?
    /// Further members, such as the invalid fields.
    public var extensions: [String: JSONValue]

    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
        instance: String? = nil, extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }

    /// Parses a response's body of any `Content-Type`. Nil if it is not a JSON object, or exceeds 1 MiB.
    public init?(_ data: Data) {
        // Far above the size of real problem details, and still fast to parse.
        guard data.count <= 1 << 20, let details = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
        self = details
    }
}

extension ProblemDetails: Codable {
    /// Decodes a JSON object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.singleValueContainer().decode([String: JSONValue].self)
        self.init(
            type: members["type"]?.stringValue ?? "about:blank",
            title: members["title"]?.stringValue,
            status: members["status"]?.intValue.flatMap { (100...599).contains($0) ? $0 : nil },
            detail: members["detail"]?.stringValue,
            instance: members["instance"]?.stringValue,
            extensions: members.filter { !Self.names.contains($0.key) })
    }

    /// Encodes a JSON object. An extension with the name of a member is omitted.
    public func encode(to encoder: any Encoder) throws {
        var members = extensions.filter { !Self.names.contains($0.key) }
        members["type"] = .string(type)
        members["title"] = title.map(JSONValue.string)
        members["status"] = status.map { .integer(Int64($0)) }
        members["detail"] = detail.map(JSONValue.string)
        members["instance"] = instance.map(JSONValue.string)
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }

    private static let names: Set<String> = ["type", "title", "status", "detail", "instance"]
}

extension ProblemDetails: CustomStringConvertible, CustomReflectable {
    /// The type and the status. The other members may hold personal data, so no description and no `dump` shows them.
    public var description: String {
        let isBlank = type == "about:blank"
        let type = isBlank ? type : URL(string: type).map(Redactor.standard.text(of:)) ?? "(invalid type URL)"
        return (status.map { "\(type), status \($0)" } ?? type).onOneLine
    }

    /// Shows only the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    /// The title, made safe to show. It names the kind of problem.
    var shownTitle: String? { title.flatMap(SanitizedText.sentence) }
    /// The detail, made safe to show to the user whose request it was. It may hold personal data, so it does not belong in a log.
    var shownDetail: String? { detail.flatMap(SanitizedText.sentence) }
}

extension NetworkFailure {
    /// The problem details, if the status was not accepted and the body is `application/problem+json` (RFC 9457). Parsed at each access.
    ///
    /// The failure's description and `errorDescription` contain the title, and its `failureReason` the detail, each cut to 200 characters.
    ///
    /// A ``NetworkError`` alone lacks the content type; parse its data with ``ProblemDetails/init(_:)``.
    public var problemDetails: ProblemDetails? {
        guard case .requestFailed(_, let data?) = cause,
            let type = response?.headers["Content-Type"].flatMap(MediaType.init),
            type.description == ProblemDetails.contentType
        else { return nil }
        return ProblemDetails(data)
    }
}
