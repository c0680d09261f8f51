import NetCore

/// A protocol for resumable uploads: the messages, and the meaning of the responses. It does not know time, retries or the disk.
protocol UploadDialect: Sendable {
    /// Asks the target for its abilities, or nil if the protocol has no such message. A response may tell nothing.
    var discovery: UploadMessage? { get }
    func abilities(in response: TransportResponse) throws -> UploadAbilities

    /// Creates the upload's resource without any bytes of the file, so that its URL is known before they are sent.
    func creation(of file: UploadedFile) throws -> UploadMessage

    func append(_ piece: UploadPiece, checksum: String?) -> UploadMessage

    /// Returns a message without a body: HEAD asks the upload's resource for its offset, DELETE removes the upload.
    func message(_ method: HTTPMethod) -> UploadMessage

    /// Returns the state in a successful response to HEAD, or to PATCH with a piece of a file of that size. Throws if the response violates the
    /// protocol.
    func state(in response: TransportResponse, size: Int64, after piece: UploadPiece?) throws -> UploadState

    /// Returns the time until which the server keeps the upload, or nil if the response does not tell.
    func expirationDate(in response: TransportResponse) -> Date?

    /// Whether a response is the target's to the whole upload, with any status. The upload has ended then.
    func isFinal(_ response: TransportResponse) -> Bool
}

/// The parts of a request that the protocol decides.
struct UploadMessage: Sendable {
    var method: HTTPMethod
    var headers: HTTPHeaders
    var body: HTTPBody?
}

struct UploadAbilities: Sendable {
    var maxSize: Int64?
    /// Whether it verifies a SHA-256 of a request's bytes before it stores them.
    var verifiesSHA256 = false
}

struct UploadedFile: Sendable {
    let url: URL
    let identity: FileIdentity
    let contentType: String
    let method: HTTPMethod
    let metadata: [String: String]
}

struct UploadState: Sendable {
    let offset: Int64
    let isComplete: Bool
}

struct UploadPiece: Sendable {
    let offset: Int64
    let length: Int64
    let isLast: Bool

    var end: Int64 { offset + length }
}

extension TransportResponse {
    /// Returns the number of bytes in a header field, or nil if it is missing or malformed.
    func byteCount(_ name: String) -> Int64? {
        headers[name].flatMap { StructuredField.integer($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

/// A server's limits in bytes, from `Upload-Limit` (IETF) or the fields of tus.
struct UploadLimits: Codable, Hashable, Sendable {
    var maxSize: Int64?
    var minSize: Int64?
    var maxAppendSize: Int64?
    var minAppendSize: Int64?
    /// Seconds from the response on.
    var maxAge: Int64?

    init() {}

    /// Nil if the response has no `Upload-Limit`, or a malformed one.
    init?(_ response: TransportResponse) {
        guard let field = response.headers["Upload-Limit"] else { return nil }
        self.init(field: field)
    }

    /// Reads `Upload-Limit`, a dictionary of structured fields (RFC 9651), which has to be ignored if it is malformed, or a limit is not an integer.
    init?(field: String) {
        for member in field.listMembers() {
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

    /// - Throws: ``ResumableUpload/Failure`` if the server does not accept a file of that size.
    func check(size: Int64) throws(ResumableUpload.Failure) {
        if let maxSize, size > maxSize { throw .fileTooLarge(limit: maxSize) }
        if let minSize, size < minSize { throw .fileTooSmall(minimum: minSize) }
    }

    /// Returns how many bytes the next request carries.
    func pieceLength(rest: Int64, wanted: Int64?) -> Int64 {
        var length = rest
        if let wanted, wanted > 0 { length = min(length, wanted) }
        // The last one may be smaller.
        if let minAppendSize { length = min(max(length, minAppendSize), rest) }
        // A limit of zero would block the upload forever.
        if let maxAppendSize, maxAppendSize > 0 { length = min(length, maxAppendSize) }
        return length
    }
}
