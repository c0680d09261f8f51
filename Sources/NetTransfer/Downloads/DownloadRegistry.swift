public import NetCore

/// The unfinished downloads on disk. A new process finds the downloads of an earlier one here, and resumes them.
///
/// ```swift
/// for download in networking.unfinishedDownloads() {
///     networking.resumeDownload(with: download.resumeData, completion: { response in print(response.result) })
/// }
/// ```
///
/// An entry is a small file with mode 0600. It contains the URL, the destination, and the version of the file. The bytes are next to the
/// destination. An entry exists from the first byte until the file is complete, or the download is cancelled or refused. It contains no
/// headers, since they may be secret: pass them again.
public final class DownloadRegistry: Sendable {
    /// The process's registry, in the user's folder for application data; on tvOS in *Caches*, which the system may empty. If it cannot be
    /// written, downloads run without it.
    public static let standard = DownloadRegistry(
        folder: RecordsFolder.url().appendingPathComponent("networking-downloads", isDirectory: true),
        isRequired: false)

    private let folder: URL
    private let isRequired: Bool

    /// Creates a registry in a folder, which is created when needed. If that fails, downloads fail with ``DownloadError/Code/registry``.
    public convenience init(folder: URL) { self.init(folder: folder, isRequired: true) }

    private init(folder: URL, isRequired: Bool) {
        self.folder = folder
        self.isRequired = isRequired
    }

    /// Returns the downloads that can be resumed, including running ones, newest first. Unreadable entries are left out.
    public func unfinished() -> [DownloadRegistry.Entry] {
        AtomicFile.sweep(folder.path)
        var found: [(download: DownloadRegistry.Entry, modified: Date)] = []
        Directory.forEachName(in: folder.path) { name in
            let name = String(decoding: name, as: UTF8.self)
            let path = folder.appendingPathComponent(name).path
            guard name.hasSuffix(Self.suffix), let status = Directory.status(of: path), status.isRegular,
                let data = FileManager.default.contents(atPath: path), let record = try? DownloadRecord(data: data)
            else { return }
            found.append((DownloadRegistry.Entry(record: record, resumeData: data), status.modified))
        }
        return found.sorted { $0.modified > $1.modified }.map(\.download)
    }

    /// Removes an unfinished download and its bytes. Has no effect on a running one.
    ///
    /// - Returns: whether it was removed.
    @discardableResult
    public func discard(_ download: DownloadRegistry.Entry) -> Bool {
        guard let file = try? UnfinishedFile(download.record, isNew: false) else { return remove(download.record.id) }
        guard file.isLocked else { return false }
        download.record.removeFiles()
        return remove(download.record.id)
    }

    private static let suffix = ".json"

    private func path(_ id: UUID) -> String {
        folder.appendingPathComponent(id.uuidString.lowercased() + Self.suffix).path
    }

    func save(_ record: DownloadRecord) throws(DownloadError) {
        do {
            try Directory.make(folder.path)
            try AtomicFile.write(record.data, to: path(record.id))
        } catch {
            guard isRequired else { return }
            throw DownloadError(
                .registry, "The registry of unfinished downloads in \(folder.path) cannot be written: \(error).")
        }
    }

    @discardableResult
    func remove(_ id: UUID) -> Bool { Directory.remove(path(id)) }
}

extension DownloadRegistry {
    /// A download that has begun and not ended.
    public struct Entry: Sendable {
        let record: DownloadRecord
        public let resumeData: Data

        public var url: URL { record.url }
        public var destination: Downloader.Destination { record.destination }
        /// The length of the file, or nil if the server did not tell.
        public var totalBytes: Int64? { record.file.length }
        /// The number of bytes on disk. Reads the file system.
        public var bytesCompleted: Int64 { UnfinishedFile.received(record) }
    }
}

/// The state of a download: the resume data as JSON, and an entry of the registry.
///
/// The files on disk tell the number of bytes. They are never ahead of the bytes, except after the machine has crashed: then ``durable`` counts.
struct DownloadRecord: Hashable, Sendable, Codable {
    static let currentVersion = 1
    static let mostParts = 16

    private(set) var version = currentVersion
    let id: UUID
    let url: URL
    var destination: Downloader.Destination
    var existingFile: Downloader.Options.ExistingFile
    var checksum: Downloader.Options.Checksum?
    private(set) var folder: StoredPath
    /// The server's name for the file.
    var suggestedName: String?
    var file = DownloadVersion()
    /// The first position of each part. There is one part, unless several connections fetch the file.
    var starts: [Int64] = [0]
    /// The number of bytes of each part that are known to be on the medium.
    var durable: [Int64] = [0]
    /// The session of the machine in which the bytes were written.
    var boot = BootSession.current
    /// The resume data of the system, of a download in the background. It knows where the bytes are.
    var systemData: Data?

    init(url: URL, destination: Downloader.Destination, folder: URL, options: Downloader.Options) {
        id = UUID()
        self.url = url
        self.destination = destination
        existingFile = options.existingFile
        checksum = options.checksum
        self.folder = StoredPath(folder)
    }

    /// - Throws: ``DownloadError`` for invalid data.
    init(data: Data) throws(DownloadError) {
        guard let record = try? JSONDecoder().decode(DownloadRecord.self, from: data), record.isConsistent else {
            throw DownloadError(
                .invalidResumeData, "The resume data cannot be read. Start the download again from its URL.")
        }
        self = record
    }

    /// - Throws: an error of JSON, which none of these values causes.
    var data: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }

    /// The file in which the bytes gather. It is hidden, and its name comes from the identity alone, so a forged record cannot choose it.
    var gatheringPath: String { folder.url.appendingPathComponent(".\(id.uuidString.lowercased()).download").path }
    /// The file that tells how many bytes each part has, if there are several.
    var countsPath: String { gatheringPath + "-parts" }

    /// Returns the end of a part, or nil for the last part of a file of unknown length.
    func end(of index: Int) -> Int64? { index + 1 < starts.count ? starts[index + 1] : file.length }

    func removeFiles() { for path in [gatheringPath, countsPath] { Directory.remove(path) } }

    /// Sets another folder for the unfinished file.
    mutating func gather(in folder: URL) { self.folder = StoredPath(folder) }

    mutating func reset() { (file, starts, durable) = (DownloadVersion(), [0], [0]) }

    private var isConsistent: Bool {
        let ends = starts.dropFirst() + [file.length ?? .max]
        return version == Self.currentVersion && starts.first == 0 && (1...Self.mostParts).contains(starts.count)
            && durable.count == starts.count && durable.allSatisfy { $0 >= 0 }
            && zip(starts, ends).allSatisfy { $0 < $1 || starts.count == 1 && $0 <= $1 }
            && (starts.count == 1 || file.length != nil && file.validator != nil)
    }
}

/// A path that stays valid when the home folder moves, as it does on iOS with each update of an app.
struct StoredPath: RawRepresentable, Hashable, Sendable, Codable {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue }

    init(_ url: URL, home: String = NSHomeDirectory()) {
        let path = Self.real(url.path)
        let home = Self.real(home)
        rawValue = home.count > 1 && path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : url.path
    }

    /// Returns the path without Apple's link to `/private/var`. On a device, home is below `/var`, and the temporary folder below `/private/var`.
    private static func real(_ path: String) -> String {
        #if canImport(Darwin)
            let prefix = "/private"
            return path.hasPrefix(prefix + "/var/") ? String(path.dropFirst(prefix.count)) : path
        #else
            return path
        #endif
    }

    var url: URL {
        URL(fileURLWithPath: rawValue.hasPrefix("~/") ? NSHomeDirectory() + rawValue.dropFirst() : rawValue)
    }
}

/// Identifies the time from one start of the machine to the next, or nil if the system does not tell.
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
