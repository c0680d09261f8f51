/// A file, or a part of one, as the source of a body.
package struct FileSegment: Sendable {
    package let url: URL
    package let offset: Int64
    package let length: Int64
    /// The required length of the whole file when it is opened.
    package let fileLength: Int64

    /// Large enough to amortise system calls, small enough for a hundred concurrent uploads.
    private static let chunkSize: Int64 = 256 * 1024

    /// Creates a segment of the whole file, with its current length.
    ///
    /// - Throws: an error that describes the problem, if it is not a readable regular file.
    package init(url: URL) throws {
        guard url.isFileURL else {
            throw RequestBuildingError("A body from a file needs a file URL, not \(Redactor.standard.text(of: url)).")
        }
        // The attributes of a symbolic link are its own.
        let url = url.resolvingSymlinksInPath()
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        } catch {
            throw RequestBuildingError("The file \(url.path) cannot be read: \(error.localizedDescription)")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber,
            FileManager.default.isReadableFile(atPath: url.path)
        else { throw RequestBuildingError("\(url.path) is not a readable regular file.") }
        self.init(url: url, offset: 0, length: size.int64Value)
    }

    /// Creates a part of a file.
    ///
    /// - Parameter fileLength: the length of the file, or nil if it ends with the part.
    package init(url: URL, offset: Int64, length: Int64, fileLength: Int64? = nil) {
        self.url = url
        self.offset = offset
        self.length = length
        self.fileLength = fileLength ?? offset + length
    }

    /// Returns the chunk at a position counted from the segment's start, or nil at its end.
    ///
    /// It opens the file each time, so that a body that is not read to its end leaves nothing open.
    func read(at position: Int64) throws -> Data? {
        let wanted = min(length - position, Self.chunkSize)
        guard wanted > 0 else { return nil }
        do {
            let handle = try FileHandle(forReadingFrom: url)
            defer { try? handle.close() }
            try handle.seek(toOffset: UInt64(offset + position))
            if let data = try handle.read(upToCount: Int(wanted)), !data.isEmpty { return data }
        } catch { throw TransportError(.requestBodyFailed, phase: .sending, message: error.localizedDescription) }
        throw TransportError(
            .requestBodyFailed, phase: .sending,
            message: "\(url.lastPathComponent) ends at byte \(position) of \(length): it was cut while it was sent.")
    }
}
