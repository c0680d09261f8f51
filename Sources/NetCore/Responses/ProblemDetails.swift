/// What a server says is wrong, in the form of RFC 9457: `application/problem+json`.
///
/// ```swift
/// do {
///     _ = try await client.data(for: request)
/// } catch {
///     if let problem = error.problemDetails { show(problem.title ?? problem.type) }
/// }
/// ```
///
/// A member of the wrong type is ignored, as the RFC has it (section 3.1). The XML form (appendix B of RFC 7807) is not read.
public struct ProblemDetails: Hashable, Sendable {
    /// `application/problem+json`.
    public static let contentType = "application/problem+json"

    /// Names the kind of problem: a URI reference to compare with, and perhaps to read. `about:blank` if the status says all.
    public var type: String
    /// A summary of the kind of problem, for people.
    public var title: String?
    /// The status, as the server that had the problem gave it. Something on the way may have changed it.
    public var status: Int?
    /// What went wrong this time, for people.
    public var detail: String?
    /// Names this occurrence of the problem: a URI reference.
    public var instance: String?
    /// What else the server tells, such as the fields that are wrong.
    public var extensions: [String: JSONValue]

    /// Problem details.
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

    /// Reads the body of a response, whatever its `Content-Type`: nil if it is no JSON object. At most 1 MiB is read.
    public init?(_ data: Data) {
        guard data.count <= Self.sizeLimit,
            case .object(let members)? = try? JSONDecoder().decode(JSONValue.self, from: data)
        else { return nil }
        self.init(members)
    }

    /// ``type`` as a URL. A relative one is resolved against the URL of the response (section 3.1.1).
    public func typeURL(relativeTo base: URL?) -> URL? { URL(string: type, relativeTo: base)?.absoluteURL }

    /// ``instance`` as a URL: see ``typeURL(relativeTo:)``.
    public func instanceURL(relativeTo base: URL?) -> URL? {
        instance.flatMap { URL(string: $0, relativeTo: base)?.absoluteURL }
    }

    /// Far beyond what a server has to say, far below what would keep a caller waiting.
    private static let sizeLimit = 1 << 20
}

extension ProblemDetails: Codable {
    /// Reads a JSON object.
    ///
    /// - Throws: `DecodingError` if it is anything else.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([String: JSONValue].self))
    }

    /// Writes a JSON object. An extension that has the name of a member is left out.
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

    private init(_ members: [String: JSONValue]) {
        self.init(
            type: members["type"]?.stringValue ?? "about:blank",
            title: members["title"]?.stringValue,
            status: members["status"]?.intValue.flatMap { (100...599).contains($0) ? $0 : nil },
            detail: members["detail"]?.stringValue,
            instance: members["instance"]?.stringValue,
            extensions: members.filter { !Self.names.contains($0.key) })
    }

    private static let names: Set<String> = ["type", "title", "status", "detail", "instance"]
}

extension ProblemDetails: CustomStringConvertible, CustomReflectable {
    /// The type and the status. The rest is the server's own words, and may hold personal data: it is in no description and no `dump`.
    public var description: String {
        let isBlank = type == "about:blank"
        let type = isBlank ? type : URL(string: type).map(Redactor.standard.text(of:)) ?? "(a type that is no URL)"
        return (status.map { "\(type), status \($0)" } ?? type).onOneLine
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension NetworkFailure {
    /// What the server says is wrong, if the status was not accepted and the body is `application/problem+json` (RFC 9457).
    ///
    /// Read from the body each time it is asked for: keep it. A ``NetworkError`` alone does not know the content type; read its data
    /// with ``ProblemDetails/init(_:)``.
    public var problemDetails: ProblemDetails? {
        guard case .requestFailed(_, let data?) = cause,
            let type = response?.headers["Content-Type"].flatMap(MediaType.init),
            type.description == ProblemDetails.contentType
        else { return nil }
        return ProblemDetails(data)
    }
}
