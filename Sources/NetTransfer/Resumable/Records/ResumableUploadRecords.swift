public import NetCore

/// The uploads that are not complete yet, in a folder: one small file for each (0600), replaced as a whole.
///
/// ```swift
/// for record in ResumableUploadRecords.standard.all {
///     let (_, task) = client.resumableUpload(file: record.fileURL, to: record.targetURL, protocol: record.protocol)
///     print(try await task.value.uploadURL)
/// }
/// ```
public struct ResumableUploadRecords: Sendable {
    /// The folder. It is made when it is needed, and then only this user can open it (0700).
    public let directory: URL

    /// Records in a folder.
    public init(directory: URL) {
        self.directory = directory
    }

    /// In the user's folder for the data of applications: `Networking/Uploads` in *Application Support* on Apple, in *Caches* on tvOS, which the
    /// system may empty, in `~/.local/share` on Linux.
    public static let standard = ResumableUploadRecords(
        directory: RecordsFolder.url().appendingPathComponent("Networking/Uploads", isDirectory: true))

    /// The uploads that are not complete, the oldest first. What cannot be read is left out.
    public var all: [ResumableUploadRecord] {
        let files = (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == Self.fileExtension }
            .compactMap(Self.read)
            .sorted { $0.startDate < $1.startDate }
    }

    /// Forgets an upload, of which the server is told nothing: see `discardResumableUpload(_:headers:records:)`.
    public func remove(_ record: ResumableUploadRecord) {
        remove(key: record.key)
    }

    static let fileExtension = "upload"

    /// Nil if there is none, or none that can be read.
    func record(for key: String) -> ResumableUploadRecord? {
        // One that was copied here under another name is of another upload.
        Self.read(file(key)).flatMap { $0.key == key ? $0 : nil }
    }

    func save(_ record: ResumableUploadRecord) throws(ResumableUploadError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try AtomicFile.write(encoder.encode(record), to: file(record.key).path)
        } catch let error as SystemError {
            throw .recordNotWritable(error.description)
        } catch {
            throw .recordNotWritable("\(type(of: error))")
        }
    }

    func remove(key: String) {
        unlink(file(key).path)
    }

    /// Keeps others from the same upload, until it is released.
    func lock(_ key: String) throws -> UploadLock {
        do {
            try Directory.make(directory.path)
            AtomicFile.sweep(directory.path)
            guard let lock = try UploadLock(path: directory.appendingPathComponent("\(key).lock").path) else {
                throw ResumableUploadError.alreadyRunning
            }
            return lock
        } catch let error as SystemError {
            throw ResumableUploadError.recordNotWritable(error.description)
        }
    }

    private func file(_ key: String) -> URL {
        directory.appendingPathComponent("\(key).\(Self.fileExtension)", isDirectory: false)
    }

    private static func read(_ url: URL) -> ResumableUploadRecord? {
        guard let data = try? Data(contentsOf: url),
            let record = try? JSONDecoder().decode(ResumableUploadRecord.self, from: data)
        else { return nil }
        // From a file, so from anybody.
        return record.uploadURL.isHTTP && record.fileURL.isFileURL ? record : nil
    }
}
