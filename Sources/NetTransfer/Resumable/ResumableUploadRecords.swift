public import NetCore

extension ResumableUpload {
    /// The uploads that are not complete yet, in a folder: one small file for each (0600), replaced as a whole.
    ///
    /// ```swift
    /// for record in ResumableUpload.Records.standard.all {
    ///     let (_, task) = client.resumableUpload(file: record.fileURL, to: record.targetURL, protocol: record.protocol)
    ///     print(try await task.value.uploadURL)
    /// }
    /// ```
    public struct Records: Sendable {
        /// The folder. It is made when it is needed, and then only this user can open it (0700).
        public let directory: URL

        /// Records in a folder.
        public init(directory: URL) {
            self.directory = directory
        }

        /// In the user's folder for the data of applications: `Networking/Uploads` in *Application Support* on Apple, in *Caches* on tvOS, which the
        /// system may empty, in `~/.local/share` on Linux.
        public static let standard = ResumableUpload.Records(
            directory: RecordsFolder.url().appendingPathComponent("Networking/Uploads", isDirectory: true))

        /// The uploads that are not complete, the oldest first. What cannot be read is left out.
        public var all: [ResumableUpload.Record] {
            let files =
                (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
            return files.filter { $0.pathExtension == Self.fileExtension }
                .compactMap(Self.read)
                .sorted { $0.startDate < $1.startDate }
        }

        /// Forgets an upload, of which the server is told nothing: see `discardResumableUpload(_:headers:records:)`.
        public func remove(_ record: ResumableUpload.Record) {
            remove(key: record.key)
        }

        static let fileExtension = "upload"

        /// Nil if there is none, or none that can be read.
        func record(for key: String) -> ResumableUpload.Record? {
            // One that was copied here under another name is of another upload.
            Self.read(file(key)).flatMap { $0.key == key ? $0 : nil }
        }

        func save(_ record: ResumableUpload.Record) throws(ResumableUploadError) {
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

        private static func read(_ url: URL) -> ResumableUpload.Record? {
            guard let data = try? Data(contentsOf: url),
                let record = try? JSONDecoder().decode(ResumableUpload.Record.self, from: data)
            else { return nil }
            // From a file, so from anybody.
            return record.uploadURL.isHTTP && record.fileURL.isFileURL ? record : nil
        }
    }
}

extension ResumableUpload {
    /// What is kept of an upload that is not complete, so that another process can go on with it. The offset is not in it: that is asked of
    /// the server each time.
    ///
    /// The upload's URL is as good as a key to it, so a record is no matter for a log.
    public struct Record: Codable, Hashable, Sendable {
        /// The file.
        public let fileURL: URL
        /// Where it is uploaded to, as it was given.
        public let targetURL: URL
        /// The resource on the server that stands for the upload.
        public let uploadURL: URL
        /// The protocol.
        public let `protocol`: ResumableUpload.WireProtocol
        /// The user whose upload it is: ``ResumableUpload/Options/partition``.
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
            fileURL: URL, targetURL: URL, protocol kind: ResumableUpload.WireProtocol, partition: String?
        ) -> String {
            // The lengths keep apart what would read the same in a row.
            let parts = [kind.rawValue, partition ?? "", targetURL.absoluteString, fileURL.standardizedFileURL.path]
            return SHA256.hex(Data(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n").utf8))
        }

        var key: String {
            Self.key(fileURL: fileURL, targetURL: targetURL, protocol: `protocol`, partition: partition)
        }
    }
}

/// Held by the one upload of a record among all processes. The system releases it when the process ends.
final class UploadLock: Sendable {
    private let file: DiskFile
    private let path: String

    /// - Returns: nil if another upload holds the lock.
    init?(path: String) throws(SystemError) {
        self.path = path
        while true {
            let file = try DiskFile(path, O_RDWR | O_CREAT)
            guard file.lock(.exclusive) else { return nil }
            // The last holder may have removed the file meanwhile: a lock on a file without a name excludes no one.
            guard try file.status().hasName else { continue }
            self.file = file
            return
        }
    }

    deinit {
        unlink(path)
    }
}
