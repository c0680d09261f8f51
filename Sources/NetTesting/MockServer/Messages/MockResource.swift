internal import NetCache
public import NetCore

/// A file with validators, conditions and ranges (RFC 9110, sections 13 and 14).
///
/// ```swift
/// var file = MockResource(Data("one".utf8), etag: "\"v1\"", lastModified: Date())
/// server.on("/file", file)
/// // The file changes in the middle of a download:
/// file.data = Data("two".utf8)
/// file.etag = "\"v2\""
/// server.on("/file", file)
/// ```
///
/// It answers GET and HEAD, with 206 and 416 for `Range` (several ranges as `multipart/byteranges`), `If-Range`, and the conditions
/// `If-Match`, `If-None-Match`, `If-Modified-Since` and `If-Unmodified-Since`, in the order of section 13.2.2.
public struct MockResource: Sendable {
    public var data: Data
    public var contentType: String
    /// The entity tag with its quotes, weak or strong, or nil.
    public var etag: String?
    /// The date of the last change, in whole seconds, or nil.
    public var lastModified: Date?
    /// Whether `Range` is respected. A server may ignore it.
    public var acceptsRanges = true
    /// Further fields of every response.
    public var headers: HTTPHeaders = [:]

    /// Creates a resource.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - contentType: the media type.
    ///   - etag: the entity tag, or nil for a tag made from the content.
    ///   - lastModified: the date of the last change, or nil.
    public init(
        _ data: Data, contentType: String = "application/octet-stream", etag: String? = nil, lastModified: Date? = nil
    ) {
        self.data = data
        self.contentType = contentType
        self.etag = etag ?? "\"\(SHA256.hex(data).prefix(16))\""
        self.lastModified = lastModified
    }

    /// Returns the response to a request.
    public func response(to request: RecordedRequest) -> MockResponse {
        guard request.method == .get || request.method == .head else {
            return .status(405, headers: ["Allow": "GET, HEAD"])
        }
        if let failed = failedCondition(request.headers) { return head(failed) }
        guard acceptsRanges, request.method == .get, let value = request.headers["Range"],
            allowsRange(request.headers), let ranges = ranges(value)
        else { return head(200, contentType: contentType, content: data) }
        guard let first = ranges.first else { return head(416).header("Content-Range", "bytes */\(data.count)") }
        guard ranges.count == 1 else { return multipart(ranges) }
        return head(206, contentType: contentType, content: part(first)).header("Content-Range", text(first))
    }

    /// Returns the satisfiable ranges of a `Range` field, or nil if it must be ignored (RFC 9110, section 14.2): for another unit, a
    /// malformed set, and more than 16 ranges, which are an attack.
    private func ranges(_ value: String) -> [Range<Int64>]? {
        let parts = value.split(separator: "=", maxSplits: 1).map { String($0).withoutHTTPWhitespace }
        guard parts.count == 2, parts[0].equalsIgnoringASCIICase("bytes") else { return nil }
        let members = parts[1].listMembers(hasEscapes: false)
        let ranges = members.compactMap(ByteRange.init)
        guard (1...16).contains(members.count), ranges.count == members.count else { return nil }
        return ranges.compactMap { $0.resolved(length: Int64(data.count)) }
    }

    private func head(_ status: Int, contentType: String? = nil, content: Data? = nil) -> MockResponse {
        var fields = headers
        if let contentType { fields.add(name: "Content-Type", value: contentType) }
        if let etag { fields.add(name: "ETag", value: etag) }
        if let lastModified { fields.add(name: "Last-Modified", value: HTTPDate.string(from: lastModified)) }
        fields.add(name: "Accept-Ranges", value: acceptsRanges ? "bytes" : "none")
        return MockResponse(status: status, headers: fields, body: content.map { .data($0) } ?? .none)
    }

    private func part(_ range: Range<Int64>) -> Data { Data(data.dropFirst(Int(range.lowerBound)).prefix(range.count)) }

    private func text(_ range: Range<Int64>) -> String { ContentRange(bytes: range, total: Int64(data.count)).text }

    private func multipart(_ ranges: [Range<Int64>]) -> MockResponse {
        let boundary = "part-\(UUID().uuidString)"
        var content = Data()
        for range in ranges {
            let head = "--\(boundary)\r\nContent-Type: \(contentType)\r\nContent-Range: \(text(range))\r\n\r\n"
            content += Data(head.utf8) + part(range) + Data("\r\n".utf8)
        }
        content += Data("--\(boundary)--\r\n".utf8)
        return head(206, contentType: "multipart/byteranges; boundary=\(boundary)", content: content)
    }

    /// 412 or 304 if a condition is false (RFC 9110, section 13). A condition of time counts only without a condition of a tag.
    private func failedCondition(_ fields: HTTPHeaders) -> Int? {
        if let tags = tags(fields, "If-Match") {
            if !tags.contains(where: { $0 == "*" || isSame($0, strongly: true) }) { return 412 }
        } else if let date = date(fields, "If-Unmodified-Since"), isChanged(after: date) == true {
            return 412
        }
        if let tags = tags(fields, "If-None-Match") {
            return tags.contains { $0 == "*" || isSame($0, strongly: false) } ? 304 : nil
        }
        return date(fields, "If-Modified-Since").flatMap(isChanged) == false ? 304 : nil
    }

    /// Whether `If-Range` matches, which needs a strong tag or the exact date (section 13.1.5).
    private func allowsRange(_ fields: HTTPHeaders) -> Bool {
        guard let value = fields["If-Range"] else { return true }
        if value.hasPrefix("\"") || value.hasPrefix("W/") { return isSame(value, strongly: true) }
        guard let date = date(fields, "If-Range"), let modified = lastModified else { return false }
        return Int64(date.timeIntervalSince1970) == Int64(modified.timeIntervalSince1970)
    }

    private func isSame(_ tag: String, strongly: Bool) -> Bool {
        guard let own = EntityTag(etag), let tag = EntityTag(tag) else { return false }
        return strongly ? own.matchesStrongly(tag) : own.matchesWeakly(tag)
    }

    private func tags(_ fields: HTTPHeaders, _ name: String) -> [String]? {
        let values = fields.values(for: name)
        return values.isEmpty ? nil : values.flatMap { $0.listMembers(hasEscapes: false) }.map(String.init)
    }

    private func date(_ fields: HTTPHeaders, _ name: String) -> Date? {
        fields[name].flatMap { HTTPDate.parse($0, now: Date()) }
    }

    /// Compares whole seconds, the precision of the fields. Nil if the date of the last change is unknown.
    private func isChanged(after date: Date) -> Bool? {
        lastModified.map { $0.timeIntervalSince1970.rounded(.down) > date.timeIntervalSince1970.rounded(.down) }
    }
}
