public import NetCore

/// A file as a good server has it: with validators, conditions and ranges (RFC 9110, sections 13 and 14).
///
/// ```swift
/// var file = MockResource(Data("one".utf8), etag: "\"v1\"", lastModified: Date())
/// server.on("/file", file)
/// // … and when the file has changed in the middle of a download:
/// file.data = Data("two".utf8)
/// file.etag = "\"v2\""
/// server.on("/file", file)
/// ```
///
/// It answers GET and HEAD, with 206 and 416 for `Range` (several ranges as `multipart/byteranges`), `If-Range`, and the conditions
/// `If-Match`, `If-None-Match`, `If-Modified-Since` and `If-Unmodified-Since`, in the order that section 13.2.2 lays down.
public struct MockResource: Sendable {
    /// The content.
    public var data: Data
    /// Its media type.
    public var contentType: String
    /// The entity tag, with its quotes, weak or strong; nil for none.
    public var etag: String?
    /// When it last changed, in whole seconds; nil if that is not told.
    public var lastModified: Date?
    /// Whether it gives parts. If not, `Range` is ignored, as a server may.
    public var acceptsRanges = true
    /// More fields of every answer.
    public var headers: HTTPHeaders = [:]

    /// A file.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - contentType: its `Content-Type`.
    ///   - etag: nil for one that is made of the content.
    ///   - lastModified: its `Last-Modified`; none unless given.
    public init(
        _ data: Data, contentType: String = "application/octet-stream", etag: String? = nil, lastModified: Date? = nil
    ) {
        self.data = data
        self.contentType = contentType
        self.etag = etag ?? "\"\(SHA256.hex(data).prefix(16))\""
        self.lastModified = lastModified
    }

    /// The answer to a request.
    public func response(to request: RecordedRequest) -> MockResponse {
        guard request.method == .get || request.method == .head else {
            return .status(405, headers: ["Allow": "GET, HEAD"])
        }
        if let failed = Conditions(self, request.headers).failure { return head(failed) }
        guard acceptsRanges, request.method == .get, let value = request.headers["Range"],
            Conditions(self, request.headers).allowsRange, let wanted = RangeRequest(value, length: data.count)
        else { return head(200, contentType: contentType, content: data) }
        switch wanted.ranges.count {
        case 0: return head(416).header("Content-Range", "bytes */\(data.count)")
        case 1:
            let range = wanted.ranges[0]
            return head(206, contentType: contentType, content: part(range)).header("Content-Range", text(range))
        default: return multipart(wanted.ranges)
        }
    }

    private func head(_ status: Int, contentType: String? = nil, content: Data? = nil) -> MockResponse {
        var fields = headers
        if let contentType { fields.add(name: "Content-Type", value: contentType) }
        if let etag { fields.add(name: "ETag", value: etag) }
        if let lastModified { fields.add(name: "Last-Modified", value: HTTPDate.string(from: lastModified)) }
        fields.add(name: "Accept-Ranges", value: acceptsRanges ? "bytes" : "none")
        return MockResponse(status: status, headers: fields, body: content.map { .data($0) } ?? .none)
    }

    private func part(_ range: Range<Int>) -> Data {
        Data(data.dropFirst(range.lowerBound).prefix(range.count))
    }

    private func text(_ range: Range<Int>) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(data.count)"
    }

    private func multipart(_ ranges: [Range<Int>]) -> MockResponse {
        let boundary = "part-\(UUID().uuidString)"
        var content = Data()
        for range in ranges {
            let head = "--\(boundary)\r\nContent-Type: \(contentType)\r\nContent-Range: \(text(range))\r\n\r\n"
            content += Data(head.utf8) + part(range) + Data("\r\n".utf8)
        }
        content += Data("--\(boundary)--\r\n".utf8)
        return head(206, contentType: "multipart/byteranges; boundary=\(boundary)", content: content)
    }
}

extension MockServer {
    /// Serves a file. The route that was added last answers, so doing it again changes the file.
    public func on(_ path: String, _ resource: MockResource) {
        on(nil, path) { resource.response(to: $0) }
    }
}
