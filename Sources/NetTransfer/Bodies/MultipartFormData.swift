public import NetCore

/// A form with files (`multipart/form-data`, RFC 7578): put together part by part, and read from where the parts lie while it is
/// sent, so that memory stays flat whatever their size.
///
/// ```swift
/// let formData = MultipartFormData()
/// formData.append(value: "Leia", name: "name")
/// formData.append(data: Data([1, 2, 3]), name: "avatar", filename: "leia.png")
/// try formData.append(fileURL: url, name: "document")
/// ```
///
/// Send it with `client.upload(formData:to:)`, `networking.uploadMultipart(…)`, or as the body of any request by ``makeBody()`` and
/// ``contentType``. It may be filled from several threads; parts go out in the order in which they came.
///
/// Names and file names are sent as UTF-8, with `"`, CR and LF percent-encoded as HTML forms do it (WHATWG HTML, "multipart/form-data
/// encoding algorithm"), so that none can end its header. A backslash stays one: so browsers send it.
public final class MultipartFormData: Sendable {
    /// What stands between the parts. Unless given it holds 128 random bits, which no part can hold but by intent of somebody who
    /// knows them, and nobody does before the form is sent.
    public let boundary: String

    private let isBoundaryGiven: Bool
    private let entries = Locked<[MultipartEncoder.Entry]>([])

    /// An empty form.
    public init() {
        boundary = MultipartBoundary.random()
        isBoundaryGiven = false
    }

    /// An empty form with a boundary of your own, such as for a test that compares bytes.
    ///
    /// ``makeBody()`` looks for it in the parts that are in memory, and fails if one holds it. Files and streams are not searched.
    ///
    /// - Parameter boundary: 1 to 70 characters of those that RFC 2046, section 5.1.1 allows.
    /// - Throws: ``RequestBuildingError`` for any other.
    public init(boundary: String) throws {
        guard MultipartBoundary.isValid(boundary) else {
            throw RequestBuildingError(
                "A multipart boundary has 1 to 70 letters, digits or '()+_,-./:=? and does not end in a space "
                    + "(RFC 2046, section 5.1.1). Leave it out for a random one.")
        }
        self.boundary = boundary
        isBoundaryGiven = true
    }

    /// `multipart/form-data; boundary=…`: the header `Content-Type` of a request with this body.
    public var contentType: String { "multipart/form-data; boundary=\(MultipartBoundary.quoted(boundary))" }

    /// The number of parts so far.
    public var count: Int { entries.withLock { $0.count } }

    /// Appends a part of any kind, with headers of its own if it has some.
    public func append(_ part: MultipartPart, name: String) {
        entries.withLock { $0.append(MultipartEncoder.Entry(name: name, part: part)) }
    }

    /// Appends bytes from memory.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - name: of the form's field.
    ///   - filename: of the file that it stands for; nil if it stands for none.
    ///   - mimeType: of the content; nil goes by the extension of the file name (see ``MIMEType``).
    public func append(data: Data, name: String, filename: String? = nil, mimeType: String? = nil) {
        append(.data(data, filename: filename, mimeType: mimeType), name: name)
    }

    /// Appends a field of text.
    public func append(value: String, name: String) {
        append(.text(value), name: name)
    }

    /// Appends a file, which is read when the form is sent.
    ///
    /// Its length is taken by ``makeBody()``. If it is another one when the file is read, or the file is written to meanwhile, the
    /// upload fails with ``NetworkError/uploadFailed(_:)``.
    ///
    /// - Parameters:
    ///   - fileURL: of a regular file.
    ///   - name: of the form's field.
    ///   - filename: nil for the file's own.
    ///   - mimeType: of the content; nil goes by the extension of the file name, then of the file.
    /// - Throws: ``NetworkError/uploadFailed(_:)`` if it cannot be read.
    public func append(fileURL: URL, name: String, filename: String? = nil, mimeType: String? = nil) throws {
        append(try .file(fileURL, filename: filename, mimeType: mimeType), name: name)
    }

    /// Appends what a sequence yields, which can be read once: a form with such a part is not sent again after a failure.
    ///
    /// - Parameters:
    ///   - stream: the content in chunks.
    ///   - length: the exact number of bytes; another number fails the upload. With nil the form's length is unknown, and it is sent
    ///     in chunked coding, which not every server takes.
    ///   - name: of the form's field.
    ///   - filename: of the file that it stands for.
    ///   - mimeType: of the content; nil goes by the extension of the file name.
    public func append<Chunks: AsyncSequence & Sendable>(
        stream: Chunks, length: Int64?, name: String, filename: String? = nil, mimeType: String? = nil
    ) where Chunks.Element == Data {
        append(
            MultipartPart(HTTPBody(stream: stream, length: length), filename: filename, mimeType: mimeType), name: name)
    }

    /// Appends several parts under one name, as a nested `multipart/mixed`. RFC 7578, section 4.3 deprecates it in favour of several
    /// fields of the same name; it is here for servers that want it.
    public func append(mixed parts: [MultipartPart], name: String) {
        append(.mixed(parts), name: name)
    }

    /// The form as a body: of known length if all parts are, replayable if all parts are. What is appended later is not in it.
    ///
    /// - Throws: ``RequestBuildingError`` if the header of a part cannot be sent or a boundary that was given occurs in a part, and
    ///   ``NetworkError/uploadFailed(_:)`` if a file cannot be read.
    public func makeBody() throws -> HTTPBody {
        try encoder.makeBody()
    }

    /// The form as it is now.
    var encoder: MultipartEncoder {
        MultipartEncoder(boundary: boundary, isBoundaryGiven: isBoundaryGiven, entries: entries.withLock { $0 })
    }
}

// The spelling of seed 000, which calls each of these with `try`: what cannot be sent is refused at once.
extension MultipartFormData {
    /// Appends bytes from memory.
    ///
    /// - Throws: ``RequestBuildingError`` for a MIME type that cannot stand in a header.
    public func append(
        _ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) throws {
        let part = MultipartPart.data(data, filename: fileName, mimeType: mimeType)
        try part.checkHeaders()
        append(part, name: name)
    }

    /// Appends a field of text.
    ///
    /// - Throws: nothing today.
    public func append(_ value: String, withName name: String) throws {
        append(.text(value), name: name)
    }

    /// Appends a file, which is read when the form is sent.
    ///
    /// - Throws: ``RequestBuildingError`` for a MIME type that cannot stand in a header, and ``NetworkError/uploadFailed(_:)`` if the
    ///   file cannot be read.
    public func append(
        _ fileURL: URL, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) throws {
        let part = try MultipartPart.file(fileURL, filename: fileName, mimeType: mimeType)
        try part.checkHeaders()
        append(part, name: name)
    }
}

/// A field of a form with files, as a value (seed 001).
///
/// ```swift
/// let fields: [MultipartDataField] = [
///     .file(name: "avatar", filename: "profile.jpg", data: Data([1, 2, 3]), contentType: "image/jpeg"),
///     .text(name: "username", value: "john_doe"),
/// ]
/// ```
public enum MultipartDataField: Sendable {
    /// Bytes that stand for a file.
    case file(name: String, filename: String, data: Data, contentType: String)
    /// Text.
    case text(name: String, value: String)
}

extension MultipartFormData {
    /// A form of these fields.
    public convenience init(_ fields: [MultipartDataField]) {
        self.init()
        for field in fields {
            switch field {
            case .file(let name, let filename, let data, let contentType):
                append(data: data, name: name, filename: filename, mimeType: contentType)
            case .text(let name, let value):
                append(value: value, name: name)
            }
        }
    }
}

extension RequestContentType {
    /// A form with files (seed 001): the body is made of the fields, and the request has no other.
    ///
    /// ```swift
    /// let request = Request<User>(
    ///     method: .post, path: "/upload", contentType: .multipartData([.text(name: "username", value: "john_doe")]))
    /// ```
    public static func multipartData(_ fields: [MultipartDataField]) -> RequestContentType {
        multipart(MultipartFormData(fields))
    }

    /// A form with files, as it is when the request is sent.
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
