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
