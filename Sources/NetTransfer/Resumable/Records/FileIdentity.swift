import NetCore

/// By which a file is known again: its size, the time of its last change, and a digest of its start.
struct FileIdentity: Codable, Hashable, Sendable {
    let size: Int64
    /// Seconds since 1970.
    let modified: Int64
    let modifiedNanoseconds: Int64
    /// SHA-256 of the first 64 KiB, in hexadecimal digits: of files that some program wrote anew under an old time.
    let startDigest: String

    private static let startSize = 64 * 1024

    /// - Throws: ``NetworkError/uploadFailed(_:)`` if it is not a regular file that can be read.
    init(of url: URL) throws {
        // Its message is that of every upload.
        let segment = try FileSegment(uploading: url)
        var status = stat()
        guard stat(segment.url.path, &status) == 0 else {
            throw NetworkError.uploadFailed(
                RequestBuildingError("The file \(url.path) cannot be read: \(String(cString: strerror(errno)))"))
        }
        size = Int64(status.st_size)
        let time = status.lastChange
        modified = Int64(time.tv_sec)
        modifiedNanoseconds = Int64(time.tv_nsec)
        do {
            let handle = try FileHandle(forReadingFrom: segment.url)
            defer { try? handle.close() }
            startDigest = SHA256.hex(try handle.read(upToCount: Self.startSize) ?? Data())
        } catch {
            throw NetworkError.uploadFailed(error)
        }
    }
}

extension stat {
    fileprivate var lastChange: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }
}
