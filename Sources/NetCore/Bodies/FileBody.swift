/// A file, or a part of one, as the source of a body.
package struct FileSegment: Sendable {
    package let url: URL
    package let offset: Int64
    package let length: Int64
    /// How long the file as a whole has to be when it is opened to be watched: see ``OpenFile``.
    package let fileLength: Int64

    /// Large enough that the calls do not show, small enough that a hundred uploads do not either.
    private static let chunkSize: Int64 = 256 * 1024

    /// The whole file, as long as it is now.
    ///
    /// - Throws: ``RequestBuildingError`` if it is not a regular file that can be read.
    package init(url: URL) throws {
        guard url.isFileURL else {
            throw RequestBuildingError("A body from a file needs a file URL, not \(Redactor.standard.text(of: url)).")
        }
        // Attributes are those of a link itself.
        let url = url.resolvingSymlinksInPath()
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        } catch {
            throw RequestBuildingError("The file \(url.path) cannot be read: \(error.localizedDescription)")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber,
            FileManager.default.isReadableFile(atPath: url.path)
        else {
            throw RequestBuildingError("\(url.path) is not a file that can be read. Give a regular file.")
        }
        self.init(url: url, offset: 0, length: size.int64Value)
    }

    /// A part of a file.
    ///
    /// - Parameter fileLength: nil if it ends with the part.
    package init(url: URL, offset: Int64, length: Int64, fileLength: Int64? = nil) {
        self.url = url
        self.offset = offset
        self.length = length
        self.fileLength = fileLength ?? offset + length
    }

    /// The chunk at a position counted from the segment's start, or nil at its end.
    ///
    /// Opens the file each time: a body may be dropped half-read, and then nothing is left open.
    func read(at position: Int64) throws -> Data? {
        let wanted = min(length - position, Self.chunkSize)
        guard wanted > 0 else { return nil }
        do {
            let handle = try FileHandle(forReadingFrom: url)
            defer { try? handle.close() }
            try handle.seek(toOffset: UInt64(offset + position))
            if let data = try handle.read(upToCount: Int(wanted)), !data.isEmpty { return data }
        } catch {
            throw TransportError(.requestBodyFailed, phase: .sending, message: error.localizedDescription)
        }
        throw TransportError(
            .requestBodyFailed, phase: .sending,
            message: "\(url.lastPathComponent) ends at byte \(position) of \(length): it was cut while it was sent.")
    }
}

/// A file that is being sent, and is watched meanwhile: one that was changed fails before its last byte is out. Closed when it is
/// released, so that a body dropped half-read leaves nothing open.
package final class OpenFile {
    private let descriptor: Int32
    private let segment: FileSegment
    private let before: stat
    private var position: Int64 = 0

    /// - Throws: ``TransportError/Code/requestBodyFailed`` if it cannot be opened, or has another length than it had.
    package init(_ segment: FileSegment) throws {
        let descriptor = open(segment.url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(segment, "cannot be opened: \(Self.systemMessage)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Self.failure(segment, "is no regular file any more.")
        }
        guard Int64(status.st_size) == segment.fileLength else {
            close(descriptor)
            throw Self.failure(
                segment, "had \(segment.fileLength) bytes when the body was made, and has \(status.st_size) now.")
        }
        self.descriptor = descriptor
        self.segment = segment
        before = status
    }

    deinit {
        close(descriptor)
    }

    /// The next bytes, or nil when all of them were read.
    ///
    /// - Throws: ``TransportError/Code/requestBodyFailed`` if it cannot be read, was cut, or was written to.
    package func read(upToCount limit: Int) throws -> Data? {
        let wanted = Int(min(Int64(limit), segment.length - position))
        guard wanted > 0 else { return nil }
        // Not `Data(count:)`, which clears what is overwritten anyway.
        guard let buffer = malloc(wanted) else { throw Self.failure(segment, "cannot be read: no memory is left.") }
        do {
            let count = try read(into: buffer, upToCount: wanted)
            return Data(bytesNoCopy: buffer, count: count, deallocator: .free)
        } catch {
            free(buffer)
            throw error
        }
    }

    /// Puts the next bytes into a buffer.
    ///
    /// - Returns: their number, zero when all of them were read.
    package func read(into buffer: UnsafeMutableRawPointer, upToCount limit: Int) throws -> Int {
        let wanted = Int(min(Int64(limit), segment.length - position))
        guard wanted > 0 else { return 0 }
        var count = -1
        repeat {
            count = pread(descriptor, buffer, wanted, off_t(segment.offset + position))
        } while count < 0 && errno == EINTR
        guard count > 0 else {
            throw Self.failure(
                segment,
                count < 0
                    ? "cannot be read: \(Self.systemMessage)" : "ends at byte \(segment.offset + position): it was cut."
            )
        }
        position += Int64(count)
        // The last bytes are given only if they belong to what came before them: a request that lacks them cannot be acted on.
        if position == segment.length { try checkUnchanged() }
        return count
    }

    private func checkUnchanged() throws {
        var now = stat()
        guard fstat(descriptor, &now) == 0, now.st_size == before.st_size, now.modified == before.modified else {
            throw Self.failure(segment, "was changed while it was sent.")
        }
    }

    private static var systemMessage: String { String(cString: strerror(errno)) }

    private static func failure(_ segment: FileSegment, _ reason: String) -> TransportError {
        TransportError(
            .requestBodyFailed, phase: .sending, message: "The file \(segment.url.lastPathComponent) \(reason)",
            isUnprocessed: false)
    }
}

extension stat {
    /// When it was last written to, in seconds and nanoseconds.
    fileprivate var modified: [Int] {
        #if canImport(Darwin)
            [st_mtimespec.tv_sec, st_mtimespec.tv_nsec]
        #else
            [Int(st_mtim.tv_sec), Int(st_mtim.tv_nsec)]
        #endif
    }
}
