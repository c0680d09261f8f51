import NetCore

/// What a server says of sizes and times, in `Upload-Limit` (IETF) or by tus's own fields. In bytes.
struct UploadLimits: Codable, Hashable, Sendable {
    var maxSize: Int64?
    var minSize: Int64?
    var maxAppendSize: Int64?
    var minAppendSize: Int64?
    /// Seconds from the response on.
    var maxAge: Int64?

    init() {}

    /// Reads `Upload-Limit`: a dictionary of structured fields (RFC 9651). Nil if it is none, or if a limit is no integer: then all of it has
    /// to be ignored.
    init?(field: String) {
        for member in StructuredField.members(of: field) {
            guard let (key, item) = StructuredField.keyAndItem(member) else { return nil }
            guard let limit = Self.names[key] else { continue }
            guard let value = StructuredField.integer(item), value >= 0 else { return nil }
            self[keyPath: limit] = value
        }
    }

    private static var names: [String: WritableKeyPath<UploadLimits, Int64?>] {
        [
            "max-size": \.maxSize, "min-size": \.minSize, "max-append-size": \.maxAppendSize,
            "min-append-size": \.minAppendSize, "max-age": \.maxAge,
        ]
    }

    /// - Throws: ``ResumableUploadError`` if a file of that size cannot be uploaded.
    func check(size: Int64) throws(ResumableUploadError) {
        if let maxSize, size > maxSize { throw .fileTooLarge(limit: maxSize) }
        if let minSize, size < minSize { throw .fileTooSmall(minimum: minSize) }
    }

    /// How many of the rest's bytes the next request carries.
    func pieceLength(rest: Int64, wanted: Int64?) -> Int64 {
        var length = rest
        if let wanted, wanted > 0 { length = min(length, wanted) }
        // The last one may be smaller.
        if let minAppendSize { length = min(max(length, minAppendSize), rest) }
        // A limit of nothing would keep the upload where it is for ever.
        if let maxAppendSize, maxAppendSize > 0 { length = min(length, maxAppendSize) }
        return length
    }
}
