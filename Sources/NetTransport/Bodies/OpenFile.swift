import NetCore

/// A file that is being sent. If it changes meanwhile, reading its last bytes fails. The file is closed when this is released, so that a body
/// dropped half-read leaves nothing open.
package final class OpenFile {
    private let file: DiskFile
    private let segment: FileSegment
    private let before: FileStatus
    private var position: Int64 = 0

    /// - Throws: ``TransportError/Code/requestBodyFailed`` if it cannot be opened, or its length has changed.
    package init(_ segment: FileSegment) throws {
        let descriptor = open(segment.url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(segment, "cannot be opened: \(Self.message(errno))") }
        file = DiskFile(owning: descriptor)
        guard let status = try? file.status(), status.isRegular else {
            throw Self.failure(segment, "is no longer a regular file.")
        }
        guard status.size == segment.fileLength else {
            throw Self.failure(
                segment, "had \(segment.fileLength) bytes when the body was made, and has \(status.size) now.")
        }
        self.segment = segment
        before = status
    }

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
        let count: Int
        do throws(SystemError) {
            count = try file.read(into: .init(rebasing: buffer[..<wanted]), at: segment.offset + position)
        } catch {
            throw Self.failure(segment, "cannot be read: \(Self.message(error.code))")
        }
        guard count > 0 else { throw Self.failure(segment, "ends at byte \(segment.offset + position): it was cut.") }
        position += Int64(count)
        // The last bytes are held back if the file has changed: the server cannot act on an incomplete request.
        if position == segment.length {
            guard let now = try? file.status(), now.size == before.size, now.modification == before.modification else {
                throw Self.failure(segment, "was changed while it was sent.")
            }
        }
        return count
    }

    private static func message(_ error: Int32) -> String { String(cString: strerror(error)) }

    private static func failure(_ segment: FileSegment, _ reason: String) -> TransportError {
        TransportError(
            .requestBodyFailed, phase: .sending, message: "The file \(segment.url.lastPathComponent) \(reason)",
            isUnprocessed: false)
    }
}
