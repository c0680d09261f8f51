public import NetCore

extension ResumableUpload {
    /// The unfinished uploads in a folder. Each has a small file with mode 0600, which is replaced as a whole.
    ///
    /// ```swift
    /// for record in ResumableUpload.Records.standard.all {
    ///     let (_, task) = client.resumableUpload(file: record.fileURL, to: record.targetURL, protocol: record.protocol)
    ///     print(try await task.value.uploadURL)
    /// }
    /// ```
    public struct Records: Sendable {
        /// The folder. It is created when needed, with mode 0700.
        public let directory: URL

        public init(directory: URL) { self.directory = directory }

        /// The folder in the user's application data: `Networking/Uploads` in *Application Support* on Apple platforms, in *Caches* on
        /// tvOS, which the system may empty, and in `~/.local/share` on Linux.
        public static let standard = ResumableUpload.Records(
            directory: RecordsFolder.url().appendingPathComponent("Networking/Uploads", isDirectory: true))

        /// The unfinished uploads, oldest first. Unreadable records are left out.
        public var all: [ResumableUpload.Record] {
            let files =
                (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
            return files.filter { $0.pathExtension == Self.fileExtension }
                .compactMap(Self.read)
                .sorted { $0.startDate < $1.startDate }
        }

        /// Removes a record. The server is not told: see `discardResumableUpload(_:headers:records:)`.
        public func remove(_ record: ResumableUpload.Record) { remove(key: record.key) }

        static let fileExtension = "upload"

        /// Returns a record, or nil if it is missing or unreadable.
        func record(for key: String) -> ResumableUpload.Record? {
            // A record that was copied to this name belongs to another upload.
            Self.read(file(key)).flatMap { $0.key == key ? $0 : nil }
        }

        func save(_ record: ResumableUpload.Record) throws(ResumableUpload.Failure) {
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

        func remove(key: String) { unlink(file(key).path) }

        /// Locks an upload against all other processes, until the lock is released.
        func lock(_ key: String) throws -> UploadLock {
            do {
                try Directory.make(directory.path)
                AtomicFile.sweep(directory.path)
                return try UploadLock(path: directory.appendingPathComponent("\(key).lock").path)
            } catch let error as SystemError {
                throw ResumableUpload.Failure.recordNotWritable(error.description)
            }
        }

        private func file(_ key: String) -> URL {
            directory.appendingPathComponent("\(key).\(Self.fileExtension)", isDirectory: false)
        }

        private static func read(_ url: URL) -> ResumableUpload.Record? {
            guard let data = try? Data(contentsOf: url),
                let record = try? JSONDecoder().decode(ResumableUpload.Record.self, from: data)
            else { return nil }
            // The file may be forged.
            return record.uploadURL.isHTTP && record.fileURL.isFileURL ? record : nil
        }
    }
}

extension ResumableUpload {
    /// The state of an unfinished upload, so that another process can resume it. It does not contain the offset, which the server tells.
    ///
    /// Anyone who knows the upload's URL may be able to change the upload. Do not log a record.
    public struct Record: Codable, Hashable, Sendable {
        public let fileURL: URL
        /// The target, as the caller gave it.
        public let targetURL: URL
        /// The upload's resource on the server.
        public let uploadURL: URL
        public let `protocol`: ResumableUpload.WireProtocol
        /// The user of the upload: ``ResumableUpload/Options/partition``.
        public let partition: String?
        public let startDate: Date
        /// The time until which the server keeps the upload, or nil if it does not tell.
        public internal(set) var expirationDate: Date?
        public var byteCount: Int64 { file.size }

        let file: FileIdentity
        var limits: UploadLimits
        let verifiesSHA256: Bool

        /// Returns the name of an upload's record.
        static func key(
            fileURL: URL, targetURL: URL, protocol kind: ResumableUpload.WireProtocol, partition: String?
        ) -> String {
            // With lengths, since the parts could otherwise read the same in a row.
            let parts = [kind.rawValue, partition ?? "", targetURL.absoluteString, fileURL.standardizedFileURL.path]
            return SHA256.hex(Data(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n").utf8))
        }

        var key: String { Self.key(fileURL: fileURL, targetURL: targetURL, protocol: `protocol`, partition: partition) }
    }
}

/// Held by the one upload of a record among all processes. The system releases it when the process ends.
final class UploadLock: Sendable {
    private let file: DiskFile
    private let path: String

    /// - Throws: ``SystemError``, or ``ResumableUpload/Failure/alreadyRunning`` if another upload holds the lock.
    init(path: String) throws {
        self.path = path
        while true {
            let file = try DiskFile(path, O_RDWR | O_CREAT)
            guard file.lock(.exclusive) else { throw ResumableUpload.Failure.alreadyRunning }
            // The last holder may have removed the file meanwhile: a lock on a file without a name excludes no one.
            guard try file.status().hasName else { continue }
            self.file = file
            return
        }
    }

    deinit { unlink(path) }
}
