public import NetCore

/// What is kept of an upload that is not complete, so that another process can go on with it. The offset is not in it: that is asked of
/// the server each time.
///
/// The upload's URL is as good as a key to it, so a record is no matter for a log.
public struct ResumableUploadRecord: Codable, Hashable, Sendable {
    /// The file.
    public let fileURL: URL
    /// Where it is uploaded to, as it was given.
    public let targetURL: URL
    /// The resource on the server that stands for the upload.
    public let uploadURL: URL
    /// The protocol.
    public let `protocol`: ResumableUploadProtocol
    /// The user whose upload it is: ``ResumableUploadOptions/partition``.
    public let partition: String?
    /// When it was begun.
    public let startDate: Date
    /// Until when the server keeps it, if it says so.
    public internal(set) var expirationDate: Date?
    /// The length of the file.
    public var byteCount: Int64 { file.size }

    let file: FileIdentity
    /// What the server says of the sizes of requests.
    var limits: UploadLimits
    /// The checksum that the server checks; nil if it checks none that we have.
    let checksum: UploadChecksum?

    /// Names the record of an upload: no two uploads have the same.
    static func key(
        fileURL: URL, targetURL: URL, protocol kind: ResumableUploadProtocol, partition: String?
    ) -> String {
        // The lengths keep apart what would read the same in a row.
        let parts = [kind.rawValue, partition ?? "", targetURL.absoluteString, fileURL.standardizedFileURL.path]
        return SHA256.hex(Data(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n").utf8))
    }

    var key: String {
        Self.key(fileURL: fileURL, targetURL: targetURL, protocol: `protocol`, partition: partition)
    }
}
