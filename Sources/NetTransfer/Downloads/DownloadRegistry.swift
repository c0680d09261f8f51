public import NetCore

/// The unfinished downloads, on disk: a process that starts after another one was killed finds them here, and resumes them.
///
/// ```swift
/// for download in networking.unfinishedDownloads() {
///     networking.resumeDownload(with: download.resumeData, completion: { response in show(response.result) })
/// }
/// ```
///
/// An entry is a small file that only this user can read (0600): URL, destination, and what tells this version of the file from
/// another. The bytes lie beside their destination. It is there from the first byte on, and goes when the file is whole, or the
/// download is cancelled or refused. Headers are in none of them, since they may be secrets: give them again.
public final class DownloadRegistry: Sendable {
    /// The process's own, in the user's folder for the data of applications: on tvOS in *Caches*, which the system may empty. If it cannot be
    /// written, downloads run without.
    public static let standard = DownloadRegistry(
        folder: RecordsFolder.url().appendingPathComponent("networking-downloads", isDirectory: true),
        isRequired: false)

    private let folder: URL
    private let isRequired: Bool

    /// A registry in a folder, which is made when it is needed. Downloads fail with ``DownloadError/Code/registry`` if it cannot be.
    public convenience init(folder: URL) {
        self.init(folder: folder, isRequired: true)
    }

    init(folder: URL, isRequired: Bool) {
        self.folder = folder
        self.isRequired = isRequired
    }

    /// The downloads that can be resumed, those that are running included, the latest first. What cannot be read is left out.
    public func unfinished() -> [DownloadRegistry.Entry] {
        AtomicFile.sweep(folder.path)
        var found: [(download: DownloadRegistry.Entry, modified: Date)] = []
        Directory.forEachName(in: folder.path) { name in
            let name = String(decoding: name, as: UTF8.self)
            let path = folder.appendingPathComponent(name).path
            guard name.hasSuffix(Self.suffix), let status = Directory.status(of: path), status.isRegular,
                let data = FileManager.default.contents(atPath: path), let record = try? DownloadRecord(data: data)
            else { return }
            found.append((DownloadRegistry.Entry(record, data), status.modified))
        }
        return found.sorted { $0.modified > $1.modified }.map(\.download)
    }

    /// Forgets an unfinished download, and removes what has arrived of it. One that is running is left as it is.
    ///
    /// - Returns: whether it was there and is gone.
    @discardableResult
    public func discard(_ download: DownloadRegistry.Entry) -> Bool {
        guard let first = try? PartFile(download.record.partPath(0), isNew: false) else {
            return remove(download.record.id)
        }
        guard first.isLocked else { return false }
        download.record.removeParts()
        return remove(download.record.id)
    }

    private static let suffix = ".json"

    private func path(_ id: UUID) -> String {
        folder.appendingPathComponent(id.uuidString.lowercased() + Self.suffix).path
    }

    /// Writes an entry so that another process sees the old one or the new one.
    func save(_ record: DownloadRecord) throws(DownloadError) {
        do {
            try write(record)
        } catch {
            guard isRequired else { return }
            throw DownloadError(
                .registry, "The registry of unfinished downloads in \(folder.path) cannot be written: \(error).")
        }
    }

    private func write(_ record: DownloadRecord) throws {
        try Directory.make(folder.path)
        try AtomicFile.write(record.data, to: path(record.id))
    }

    @discardableResult
    func remove(_ id: UUID) -> Bool {
        Directory.remove(path(id))
    }
}

extension DownloadRegistry {
    /// A download that was begun and is not at its end.
    public struct Entry: Sendable {
        let record: DownloadRecord
        /// What to resume it with.
        public let resumeData: Data

        init(_ record: DownloadRecord, _ data: Data) {
            self.record = record
            resumeData = data
        }

        /// From where.
        public var url: URL { record.url }
        /// Where it goes.
        public var destination: DownloadDestination { record.destination }
        /// How many bytes the file has; nil if the server did not say.
        public var totalBytes: Int64? { record.file.length }
        /// How many bytes are there. Asks the disk.
        public var bytesCompleted: Int64 {
            record.starts.indices.reduce(0) { $0 + (Directory.status(of: record.partPath($1))?.size ?? 0) }
        }
    }
}

extension DownloadRecord {
    func removeParts() {
        for index in starts.indices { Directory.remove(partPath(index)) }
    }
}

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
    var checksum: DownloadOptions.Checksum?
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

/// Names the time from one start of the machine to the next; nil if the system does not tell.
enum BootSession {
    #if canImport(Darwin)
        static let current: String? = {
            var size = 64
            var name = [CChar](repeating: 0, count: size)
            guard sysctlbyname("kern.bootsessionuuid", &name, &size, nil, 0) == 0 else { return nil }
            return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }()
    #else
        static let current: String? = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
            .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    #endif
}
