import NetCore

/// A file that is being sent. If it changes meanwhile, reading its last bytes fails. The file is closed when this is released, so that a body
/// dropped half-read leaves nothing open.
package final class OpenFile {
    private let descriptor: Int32
    private let segment: FileSegment
    private let before: stat
    private var position: Int64 = 0

    /// - Throws: ``TransportError/Code/requestBodyFailed`` if it cannot be opened, or its length has changed.
    package init(_ segment: FileSegment) throws {
        let descriptor = open(segment.url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(segment, "cannot be opened: \(Self.systemMessage)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Self.failure(segment, "is no longer a regular file.")
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

    deinit { close(descriptor) }

    /// Returns the next bytes, or nil at the end.
    ///
    /// - Throws: ``TransportError/Code/requestBodyFailed`` if it cannot be read, was truncated, or was written to.
    package func read(upToCount limit: Int) throws -> Data? {
        let wanted = Int(min(Int64(limit), segment.length - position))
        guard wanted > 0 else { return nil }
        // `Data(count:)` would clear memory that is overwritten anyway.
        guard let buffer = malloc(wanted) else { throw Self.failure(segment, "cannot be read: out of memory.") }
        do {
            let count = try read(into: UnsafeMutableRawBufferPointer(start: buffer, count: wanted))
            return Data(bytesNoCopy: buffer, count: count, deallocator: .free)
        } catch {
            free(buffer)
            throw error
        }
    }

    /// Reads the next bytes into a buffer, and returns their number, zero at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let wanted = Int(min(Int64(buffer.count), segment.length - position))
        guard wanted > 0 else { return 0 }
        var count = -1
        repeat {
            count = pread(descriptor, buffer.baseAddress, wanted, off_t(segment.offset + position))
        } while count < 0 && errno == EINTR
        guard count > 0 else {
            throw Self.failure(
                segment,
                count < 0
                    ? "cannot be read: \(Self.systemMessage)" : "ends at byte \(segment.offset + position): it was cut."
            )
        }
        position += Int64(count)
        // The last bytes are held back if the file has changed: the server cannot act on an incomplete request.
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
    /// The time of the last modification, in seconds and nanoseconds.
    fileprivate var modified: [Int] {
        #if canImport(Darwin)
            [st_mtimespec.tv_sec, st_mtimespec.tv_nsec]
        #else
            [Int(st_mtim.tv_sec), Int(st_mtim.tv_nsec)]
        #endif
    }
}
