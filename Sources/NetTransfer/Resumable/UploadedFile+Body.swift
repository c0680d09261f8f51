import NetCore

extension UploadedFile {
    /// A part of the file, read when it is sent. A file that is written to meanwhile fails it before its last byte is out.
    func body(_ piece: UploadPiece) -> HTTPBody {
        guard piece.length > 0 else { return .empty }
        let part = FileSegment(url: url, offset: piece.offset, length: piece.length, fileLength: identity.size)
        let pieces = [HTTPBody(source: .file(part), length: piece.length, isReplayable: true)]
        return HTTPBody(
            source: .stream {
                let reader = MultipartReader(pieces)
                return { try await reader.next() }
            }, length: piece.length, isReplayable: true, pieces: pieces)
    }

    /// The checksum of a part as tus writes it. Reads it once more than sending it does.
    func checksum(_ piece: UploadPiece) throws -> String {
        let file = try OpenFile(
            FileSegment(url: url, offset: piece.offset, length: piece.length, fileLength: identity.size))
        var hash = SHA256()
        while let chunk = try file.read(upToCount: 256 * 1024) { hash.update(chunk) }
        return "sha256 \(Data(hash.finalize()).base64EncodedString())"
    }
}
