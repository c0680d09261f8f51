public import NetCore

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
