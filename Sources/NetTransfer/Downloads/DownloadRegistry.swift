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
    public func unfinished() -> [UnfinishedDownload] {
        AtomicFile.sweep(folder.path)
        var found: [(download: UnfinishedDownload, modified: Date)] = []
        Directory.forEachName(in: folder.path) { name in
            let name = String(decoding: name, as: UTF8.self)
            let path = folder.appendingPathComponent(name).path
            guard name.hasSuffix(Self.suffix), let status = Directory.status(of: path), status.isRegular,
                let data = FileManager.default.contents(atPath: path), let record = try? DownloadRecord(data: data)
            else { return }
            found.append((UnfinishedDownload(record, data), status.modified))
        }
        return found.sorted { $0.modified > $1.modified }.map(\.download)
    }

    /// Forgets an unfinished download, and removes what has arrived of it. One that is running is left as it is.
    ///
    /// - Returns: whether it was there and is gone.
    @discardableResult
    public func discard(_ download: UnfinishedDownload) -> Bool {
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

/// A download that was begun and is not at its end.
public struct UnfinishedDownload: Sendable {
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

extension DownloadRecord {
    func removeParts() {
        for index in starts.indices { Directory.remove(partPath(index)) }
    }
}
