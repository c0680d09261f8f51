public import NetCore

extension MultipartFormData {
    /// A part of a form: its content and its headers.
    ///
    /// ```swift
    /// let formData = MultipartFormData()
    /// formData.append(.data(Data([1, 2, 3]), filename: "numbers.bin"), name: "numbers")
    /// ```
    public struct Part: Sendable {
        enum Content: Sendable {
            case body(HTTPBody)
            case file(URL)
            case mixed([MultipartFormData.Part])
        }

        let content: Content
        /// The name of the file, or nil if the part is not a file.
        public let filename: String?
        /// The part's headers, including `Content-Type`. A `Content-Disposition` is refused, since it is made from the names.
        public var headers: HTTPHeaders

        private init(content: Content, filename: String?, contentType: String?, headers: HTTPHeaders) {
            self.content = content
            self.filename = filename
            self.headers = headers
            if let contentType, !headers.contains(name: "Content-Type") { self.headers.add(.contentType(contentType)) }
        }

        /// Creates a part from a body.
        ///
        /// - Parameters:
        ///   - body: the content. Without its length, the form is sent in chunked coding, which some servers refuse. A wrong length fails the upload.
        ///   - filename: the name of the file, or nil if the part is not a file.
        ///   - mimeType: the content's type, or nil to derive it from the extension of the file name. `application/octet-stream` without one.
        ///   - headers: further headers. RFC 7578, section 4.8, asks receivers to ignore them.
        public init(
            _ body: HTTPBody, filename: String? = nil, mimeType: String? = nil, headers: HTTPHeaders = HTTPHeaders()
        ) {
            self.init(
                content: .body(body), filename: filename,
                contentType: mimeType ?? filename.map(MIMEType.forFile(named:)) ?? MIMEType.octetStream,
                headers: headers)
        }

        /// A part of bytes in memory.
        public static func data(_ data: Data, filename: String? = nil, mimeType: String? = nil)
            -> MultipartFormData.Part
        {
            MultipartFormData.Part(HTTPBody(data), filename: filename, mimeType: mimeType)
        }

        /// A text in UTF-8. It has no `Content-Type`, as in browsers: a field without one is text (RFC 7578, section 4.4).
        public static func text(_ value: String) -> MultipartFormData.Part {
            MultipartFormData.Part(
                content: .body(HTTPBody(value)), filename: nil, contentType: nil, headers: HTTPHeaders())
        }

        /// A file, read when the form is sent.
        ///
        /// - Parameters:
        ///   - url: a regular file.
        ///   - filename: the file name to send, or nil for the file's own.
        ///   - mimeType: the content's type, or nil to derive it from the extension of the file name, then of the file.
        /// - Throws: ``NetworkError/uploadFailed(_:)`` if the file cannot be read.
        public static func file(_ url: URL, filename: String? = nil, mimeType: String? = nil) throws
            -> MultipartFormData.Part
        {
            _ = try FileSegment(uploading: url)
            let name = filename ?? url.lastPathComponent
            let type = mimeType ?? MIMEType.known(forFileNamed: name) ?? MIMEType.forFile(named: url.lastPathComponent)
            return MultipartFormData.Part(
                content: .file(url), filename: name, contentType: type, headers: HTTPHeaders())
        }

        /// Several parts as one (`multipart/mixed`): see ``MultipartFormData/append(mixed:name:)``.
        public static func mixed(_ parts: [MultipartFormData.Part]) -> MultipartFormData.Part {
            MultipartFormData.Part(content: .mixed(parts), filename: nil, contentType: nil, headers: HTTPHeaders())
        }

        /// - Throws: an error that describes the problem, for an invalid header, or one that the form makes itself.
        func checkHeaders() throws {
            if let invalid = headers.firstInvalid { throw RequestBuildingError.invalidHeader(invalid.name) }
            if headers.contains(name: "Content-Disposition") {
                throw RequestBuildingError(
                    "A part's Content-Disposition is made from its name and file name. Set those instead of the header."
                )
            }
            if case .mixed = content, headers.contains(name: "Content-Type") {
                throw RequestBuildingError(
                    "The Content-Type of nested parts has their boundary in it, and is made here.")
            }
        }
    }
}

extension FileSegment {
    /// Creates a segment of a whole file that is uploaded. Throws ``NetworkError/uploadFailed(_:)`` with an error that describes the problem.
    init(uploading url: URL) throws {
        do { try self.init(url: url) } catch { throw NetworkError.uploadFailed(error) }
    }
}
