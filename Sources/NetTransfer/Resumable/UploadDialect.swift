import NetCore

/// One of the protocols: what is sent, and what an answer means. It knows nothing of time, retries and the disk.
protocol UploadDialect: Sendable {
    /// Asks the target what it can; nil if there is nothing to ask. An answer that says nothing is no failure.
    var discovery: UploadMessage? { get }
    func abilities(in response: TransportResponse) throws -> UploadAbilities

    /// Makes the upload's resource, without any of the file's bytes, so that its URL is known before they are sent.
    func creation(of file: UploadedFile) throws -> UploadMessage
    /// - Parameter size: of the file.
    func created(_ response: TransportResponse, size: Int64) throws -> CreatedUpload

    /// Asks the upload's resource how far it has come.
    var inquiry: UploadMessage { get }
    /// - Parameter size: of the file.
    func state(in response: TransportResponse, size: Int64) throws -> UploadState

    func append(_ piece: UploadPiece, checksum: String?) -> UploadMessage
    /// - Throws: for an answer of success that makes no sense.
    func appended(_ response: TransportResponse, _ piece: UploadPiece) throws -> UploadState

    /// Whether an answer is that of the target to the whole upload, whatever its status: then there is nothing to go on with.
    func isFinal(_ response: TransportResponse) -> Bool

    /// Tells the server that nobody will go on.
    var termination: UploadMessage { get }
}

/// The part of a request that a protocol decides.
struct UploadMessage: Sendable {
    var method: HTTPMethod
    var headers: HTTPHeaders
    var body: HTTPBody?
}

/// What a server says of itself.
struct UploadAbilities: Sendable {
    var maxSize: Int64?
    var checksum: UploadChecksum?
}

/// The file and what is told of it.
struct UploadedFile: Sendable {
    let url: URL
    let identity: FileIdentity
    let contentType: String
    let method: HTTPMethod
    let metadata: [String: String]
}

/// What came of a creation.
struct CreatedUpload: Sendable {
    var location: String?
    var limits = UploadLimits()
    var expirationDate: Date?
    /// Whether that was all, since the file is empty.
    var isComplete = false
}

/// How far an upload has come, in the server's words.
struct UploadState: Sendable {
    var offset: Int64
    var isComplete: Bool
    /// Nil if nothing new is said.
    var limits: UploadLimits?
    var expirationDate: Date?
}

/// What one request carries.
struct UploadPiece: Sendable {
    let offset: Int64
    let length: Int64
    let isLast: Bool

    var end: Int64 { offset + length }
}

/// A checksum of what one request carries, which the server checks before it stores that.
enum UploadChecksum: String, Codable, Sendable {
    case sha256
}

extension TransportResponse {
    /// A number of bytes in a header field; nil if there is none that makes sense.
    func byteCount(_ name: String) -> Int64? {
        headers[name].flatMap { StructuredField.integer($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

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
