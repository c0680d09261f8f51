public import NetCore

/// What is uploaded: bytes, a file, a form, or a body of your own.
///
/// It is made into a body when the upload starts, so what cannot be read fails the upload and not the line that describes it.
public struct UploadContent: Sendable {
    private let make: @Sendable () throws -> RequestContentType.EncodedBody
    /// Whether the body cannot be read with another `Content-Type` than its own, since that has the boundary in it.
    let fixesContentType: Bool

    /// A body of your own.
    ///
    /// - Parameter makeBody: gives the body and its type. What it throws fails the upload: wrap it in
    ///   ``NetworkError/uploadFailed(_:)`` if it is no ``NetworkError``.
    public init(makeBody: @escaping @Sendable () throws -> RequestContentType.EncodedBody) {
        self.init(fixesContentType: false, makeBody: makeBody)
    }

    private init(
        fixesContentType: Bool, makeBody: @escaping @Sendable () throws -> RequestContentType.EncodedBody
    ) {
        make = makeBody
        self.fixesContentType = fixesContentType
    }

    /// Bytes as they are.
    public static func data(_ data: Data, mimeType: String = MIMEType.octetStream) -> UploadContent {
        UploadContent { RequestContentType.EncodedBody(HTTPBody(data), contentType: mimeType) }
    }

    /// A file as it is, streamed from the disk.
    ///
    /// - Parameters:
    ///   - url: of a regular file.
    ///   - mimeType: nil goes by its extension: see ``MIMEType``.
    public static func file(_ url: URL, mimeType: String? = nil) -> UploadContent {
        UploadContent {
            let file = try FileSegment(uploading: url)
            return RequestContentType.EncodedBody(
                HTTPBody(source: .file(file), length: file.length, isReplayable: true),
                contentType: mimeType ?? MIMEType.forFile(named: url.lastPathComponent))
        }
    }

    /// A form of names and values (`application/x-www-form-urlencoded`), written as ``QueryEncoder`` does, now.
    public static func form(_ parameters: [String: any Encodable & Sendable]) -> UploadContent {
        let form = Result { try QueryEncoder.encode(parameters) }
        return UploadContent {
            do {
                return RequestContentType.EncodedBody(
                    HTTPBody(try form.get()), contentType: "application/x-www-form-urlencoded")
            } catch {
                throw NetworkError.encodingError(error)
            }
        }
    }

    /// A form with files, as it is now.
    public static func multipart(_ formData: MultipartFormData) -> UploadContent {
        let encoder = formData.encoder
        return UploadContent(fixesContentType: true) {
            RequestContentType.EncodedBody(try encoder.makeBody(), contentType: encoder.contentType)
        }
    }

    /// A form with files that a closure fills, now. What it throws fails the upload.
    public static func multipart(_ fill: (MultipartFormData) throws -> Void) -> UploadContent {
        let formData = MultipartFormData()
        do {
            try fill(formData)
        } catch {
            return UploadContent { throw error }
        }
        return multipart(formData)
    }

    /// The body and its type.
    func encoded() throws -> RequestContentType.EncodedBody { try make() }
}
