public import NetCore

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
