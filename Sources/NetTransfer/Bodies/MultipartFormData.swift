public import NetCore

/// A form with files (`multipart/form-data`, RFC 7578). Files and streams are read while the form is sent, so memory stays flat.
///
/// ```swift
/// let formData = MultipartFormData()
/// formData.append(value: "Leia", name: "name")
/// formData.append(data: Data([1, 2, 3]), name: "avatar", filename: "leia.png")
/// try formData.append(fileURL: url, name: "document")
/// ```
///
/// Send it with `client.upload(formData:to:)`, `networking.uploadMultipart(…)`, or as the body of any request with ``makeBody()`` and
/// ``contentType``. Several threads may append parts. They are sent in the order in which they were appended.
///
/// Names and file names are sent as UTF-8, with `"`, CR and LF percent-encoded as in HTML forms (WHATWG HTML, "multipart/form-data
/// encoding algorithm"), so that a name cannot end its header. A backslash is sent as it is, as browsers do.
public final class MultipartFormData: Sendable {
    /// The boundary between the parts. By default it contains 128 random bits, so that no part contains it.
    public let boundary: String

    private let isBoundaryGiven: Bool
    private let entries = Locked<[MultipartEncoder.Entry]>([])

    public init() {
        boundary = MultipartBoundary.random()
        isBoundaryGiven = false
    }

    /// Creates an empty form with a boundary, for example for a test that compares bytes.
    ///
    /// ``makeBody()`` searches the parts in memory for the boundary, and throws if one contains it. Files and streams are not searched.
    ///
    /// - Parameter boundary: 1 to 70 of the characters that RFC 2046, section 5.1.1, allows.
    /// - Throws: an error that describes the problem, for an invalid boundary.
    public init(boundary: String) throws {
        guard MultipartBoundary.isValid(boundary) else {
            throw RequestBuildingError(
                "A multipart boundary has 1 to 70 letters, digits or '()+_,-./:=? and does not end in a space "
                    + "(RFC 2046, section 5.1.1). Leave it out for a random one.")
        }
        self.boundary = boundary
        isBoundaryGiven = true
    }

    /// `multipart/form-data; boundary=…`: the `Content-Type` of a request with this body.
    public var contentType: String { encoder.contentType }

    public var count: Int { entries.withLock { $0.count } }

    /// Appends a part of any kind. A part of a stream that can be read once is not sent again after a failure.
    public func append(_ part: MultipartFormData.Part, name: String) { entries.withLock { $0.append((name, part)) } }

    /// Appends bytes from memory.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - name: the name of the form's field.
    ///   - filename: the name of the file, or nil if the part is not a file.
    ///   - mimeType: the content's type, or nil to derive it from the extension of the file name (see ``MIMEType``).
    public func append(data: Data, name: String, filename: String? = nil, mimeType: String? = nil) {
        append(.data(data, filename: filename, mimeType: mimeType), name: name)
    }

    /// Appends a text field.
    public func append(value: String, name: String) { append(.text(value), name: name) }

    /// Appends a file, which is read when the form is sent.
    ///
    /// ``makeBody()`` notes its length. If it differs later, or the file is written meanwhile, the upload fails with
    /// ``NetworkError/uploadFailed(_:)``.
    ///
    /// - Parameters:
    ///   - fileURL: a regular file.
    ///   - name: the name of the form's field.
    ///   - filename: the file name to send, or nil for the file's own.
    ///   - mimeType: the content's type, or nil to derive it from the extension of the file name, then of the file.
    /// - Throws: ``NetworkError/uploadFailed(_:)`` if the file cannot be read.
    public func append(fileURL: URL, name: String, filename: String? = nil, mimeType: String? = nil) throws {
        append(try .file(fileURL, filename: filename, mimeType: mimeType), name: name)
    }

    /// Appends several parts under one name, as a nested `multipart/mixed`. RFC 7578, section 4.3, deprecates this in favour of several
    /// fields with the same name. Use it only for servers that require it.
    public func append(mixed parts: [MultipartFormData.Part], name: String) { append(.mixed(parts), name: name) }

    /// Returns the form as a body. Its length is known if that of each part is, and it is replayable if each part is.
    ///
    /// - Throws: an error that describes the problem, if a part's header is invalid or a part contains the boundary of ``init(boundary:)``, and
    ///   ``NetworkError/uploadFailed(_:)`` if a file cannot be read.
    public func makeBody() throws -> HTTPBody { try encoder.makeBody() }

    /// The form with its present parts.
    var encoder: MultipartEncoder {
        MultipartEncoder(boundary: boundary, isBoundaryGiven: isBoundaryGiven, entries: entries.withLock { $0 })
    }
}

// Spellings that check a part at once, and throw.
extension MultipartFormData {
    /// Appends bytes from memory.
    ///
    /// - Throws: an error that describes the problem, for a MIME type that is not a valid header value.
    public func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) throws {
        let part = MultipartFormData.Part.data(data, filename: fileName, mimeType: mimeType)
        try part.checkHeaders()
        append(part, name: name)
    }

    /// Appends a text field. It throws nothing at present.
    public func append(_ value: String, withName name: String) throws { append(.text(value), name: name) }
}

/// A field of a form, as a value.
///
/// ```swift
/// let fields: [MultipartDataField] = [
///     .file(name: "avatar", filename: "profile.jpg", data: Data([1, 2, 3]), contentType: "image/jpeg"),
///     .text(name: "username", value: "john_doe"),
/// ]
/// ```
public enum MultipartDataField: Sendable {
    /// A file, with its bytes in memory.
    case file(name: String, filename: String, data: Data, contentType: String)
    case text(name: String, value: String)
}

extension MultipartFormData {
    public convenience init(_ fields: [MultipartDataField]) {
        self.init()
        for field in fields {
            switch field {
            case .file(let name, let filename, let data, let contentType):
                append(data: data, name: name, filename: filename, mimeType: contentType)
            case .text(let name, let value): append(value: value, name: name)
            }
        }
    }
}

extension RequestContentType {
    /// A form with files. The fields are the body, so the request must not have another.
    ///
    /// ```swift
    /// let request = Request<User>(
    ///     method: .post, path: "/upload", contentType: .multipartData([.text(name: "username", value: "john_doe")]))
    /// ```
    public static func multipartData(_ fields: [MultipartDataField]) -> RequestContentType {
        multipart(MultipartFormData(fields))
    }

    /// A form with files, with the parts that it has when the request is sent.
    public static func multipart(_ formData: MultipartFormData) -> RequestContentType {
        RequestContentType { value, _ in
            guard value == nil else {
                throw RequestBuildingError("A multipart request takes its body from its fields. Leave its body out.")
            }
            let encoder = formData.encoder
            return EncodedBody(try encoder.makeBody(), contentType: encoder.contentType)
        }
    }
}
