import NetCore

/// What has to be known of a download to go on with it: the resume data, as JSON, and an entry of the registry.
///
/// How many bytes are there is not in it: the lengths of the parts on the disk say so, and they cannot be ahead of the bytes. Only
/// after the machine itself has stopped they might, and then ``durable`` counts.
struct DownloadRecord: Hashable, Sendable, Codable {
    static let currentVersion = 1
    static let mostParts = 16

    private(set) var version = currentVersion
    let id: UUID
    let url: URL
    var destination: DownloadDestination
    var existingFile: DownloadOptions.ExistingFile
    var checksum: DownloadChecksum?
    /// Where the parts lie: the folder of the destination.
    private(set) var folder: StoredPath
    /// What the server calls the file.
    var suggestedName: String?
    var file = DownloadVersion()
    /// Where each part begins. There is one, unless it is fetched on several connections.
    var starts: [Int64] = [0]
    /// How many bytes of each part are known to be on the medium.
    var durable: [Int64] = [0]
    /// Names the time from one start of the machine to the next.
    var boot = BootSession.current
    /// How many bytes were there when this was written, to be shown.
    var offset: Int64 = 0

    init(url: URL, destination: DownloadDestination, folder: URL, options: DownloadOptions) {
        id = UUID()
        self.url = url
        self.destination = destination
        existingFile = options.existingFile
        checksum = options.checksum
        self.folder = StoredPath(folder)
    }

    /// - Throws: ``DownloadError`` for what is no record.
    init(data: Data) throws(DownloadError) {
        guard let record = try? JSONDecoder().decode(DownloadRecord.self, from: data), record.isConsistent else {
            throw DownloadError(
                .invalidResumeData, "The resume data cannot be read. Begin the download anew, by its URL.")
        }
        self = record
    }

    /// - Throws: what JSON throws, which it does for none of these values.
    var data: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }

    /// The file of a part: hidden, and by a name that leads nowhere else whatever the record says.
    func partPath(_ index: Int) -> String {
        let suffix = index == 0 ? "" : "-\(index)"
        return folder.url.appendingPathComponent(".\(id.uuidString.lowercased())\(suffix).download").path
    }

    /// Where a part ends; nil for the last one of a file of unknown length.
    func end(of index: Int) -> Int64? {
        index + 1 < starts.count ? starts[index + 1] : file.length
    }

    /// From here on the bytes lie in another folder.
    mutating func gather(in folder: URL) {
        self.folder = StoredPath(folder)
    }

    /// Forgets the bytes, and what is known of them.
    mutating func reset() {
        file = DownloadVersion()
        starts = [0]
        durable = [0]
        offset = 0
    }

    private var isConsistent: Bool {
        let ends = starts.dropFirst() + [file.length ?? .max]
        return version == Self.currentVersion && starts.first == 0 && (1...Self.mostParts).contains(starts.count)
            && durable.count == starts.count && durable.allSatisfy { $0 >= 0 }
            && zip(starts, ends).allSatisfy { $0 < $1 || starts.count == 1 && $0 <= $1 }
            && (starts.count == 1 || file.length != nil && file.validator != nil)
    }
}

/// A path that is still right when the home folder has moved, as it does on iOS with each update of an app.
struct StoredPath: Hashable, Sendable, Codable {
    private let text: String

    init(_ url: URL) {
        let path = url.path
        let home = NSHomeDirectory()
        text = home.count > 1 && path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
    }

    var url: URL {
        URL(fileURLWithPath: text.hasPrefix("~/") ? NSHomeDirectory() + text.dropFirst() : text)
    }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
