public import NetCore

/// A part of a form: its content, and what its headers say of it.
///
/// ```swift
/// let formData = MultipartFormData()
/// formData.append(.data(Data([1, 2, 3]), filename: "numbers.bin"), name: "numbers")
/// ```
public struct MultipartPart: Sendable {
    enum Content: Sendable {
        case body(HTTPBody)
        case file(URL)
        case mixed([MultipartPart])
    }

    let content: Content
    /// The name of the file that the part stands for; nil if it stands for none.
    public let filename: String?
    /// The part's headers, `Content-Type` among them. `Content-Disposition` is made from the names, and is refused here.
    public var headers: HTTPHeaders

    private init(content: Content, filename: String?, contentType: String?, headers: HTTPHeaders) {
        self.content = content
        self.filename = filename
        self.headers = headers
        if let contentType, !headers.contains(name: "Content-Type") { self.headers.add(.contentType(contentType)) }
    }

    /// A part from any body.
    ///
    /// - Parameters:
    ///   - body: the content. If its length is not known, that of the whole form is not either.
    ///   - filename: of the file that it stands for.
    ///   - mimeType: nil goes by the extension of the file name; without one it is `application/octet-stream`.
    ///   - headers: further headers. RFC 7578, section 4.8 asks receivers to ignore them.
    public init(
        _ body: HTTPBody, filename: String? = nil, mimeType: String? = nil, headers: HTTPHeaders = HTTPHeaders()
    ) {
        self.init(
            content: .body(body), filename: filename,
            contentType: mimeType ?? filename.map(MIMEType.forFile(named:)) ?? MIMEType.octetStream, headers: headers)
    }

    /// Bytes from memory.
    public static func data(_ data: Data, filename: String? = nil, mimeType: String? = nil) -> MultipartPart {
        MultipartPart(HTTPBody(data), filename: filename, mimeType: mimeType)
    }

    /// Text, in UTF-8. It gets no `Content-Type`, as in a browser: a field without one is text (RFC 7578, section 4.4).
    public static func text(_ value: String) -> MultipartPart {
        MultipartPart(content: .body(HTTPBody(value)), filename: nil, contentType: nil, headers: HTTPHeaders())
    }

    /// A file, read when the form is sent.
    ///
    /// - Parameters:
    ///   - url: of a regular file.
    ///   - filename: nil for the file's own.
    ///   - mimeType: nil goes by the extension of the file name, then of the file.
    /// - Throws: ``NetworkError/uploadFailed(_:)`` if it cannot be read.
    public static func file(_ url: URL, filename: String? = nil, mimeType: String? = nil) throws -> MultipartPart {
        _ = try FileSegment(uploading: url)
        let name = filename ?? url.lastPathComponent
        let type = mimeType ?? MIMEType.known(forFileNamed: name) ?? MIMEType.forFile(named: url.lastPathComponent)
        return MultipartPart(content: .file(url), filename: name, contentType: type, headers: HTTPHeaders())
    }

    /// Several parts in one (`multipart/mixed`): see ``MultipartFormData/append(mixed:name:)``.
    public static func mixed(_ parts: [MultipartPart]) -> MultipartPart {
        MultipartPart(content: .mixed(parts), filename: nil, contentType: nil, headers: HTTPHeaders())
    }

    /// - Throws: ``RequestBuildingError`` for a header that would end early, or that is made here.
    func checkHeaders() throws {
        if let invalid = headers.firstInvalid { throw RequestBuildingError.invalidHeader(invalid.name) }
        if headers.contains(name: "Content-Disposition") {
            throw RequestBuildingError(
                "A part's Content-Disposition is made from its name and file name. Give those, and no such header.")
        }
        if case .mixed = content, headers.contains(name: "Content-Type") {
            throw RequestBuildingError("The Content-Type of nested parts has their boundary in it, and is made here.")
        }
    }
}

extension FileSegment {
    /// A whole file that is to be uploaded.
    ///
    /// - Throws: ``NetworkError/uploadFailed(_:)`` with a ``RequestBuildingError``.
    init(uploading url: URL) throws {
        do {
            try self.init(url: url)
        } catch {
            throw NetworkError.uploadFailed(error)
        }
    }
}
