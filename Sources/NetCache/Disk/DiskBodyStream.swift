import NetCore

/// The pieces of a body that stands in a file of its own. Each is checked before it is handed out.
///
/// The file stays open for as long as somebody may read it: what has begun to be read can be read to its end, even if the
/// entry is removed meanwhile, by whichever process.
struct DiskBodyStream: AsyncSequence, Sendable {
    typealias Element = Data

    let file: DiskFile
    let body: DiskBody
    /// Called when a piece is damaged.
    let damaged: @Sendable () -> Void

    /// The piece with that number; nil if it is not as it was written.
    func chunk(_ index: Int) -> Data? {
        let position = Int64(index) * Int64(DiskBody.chunkSize)
        let count = Int(Swift.min(body.length - position, Int64(DiskBody.chunkSize)))
        guard body.checksums.indices.contains(index), let data = try? file.read(count, at: position),
            data.count == count, XXHash64.hash(data) == body.checksums[index]
        else { return nil }
        return data
    }

    func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    struct Iterator: AsyncIteratorProtocol {
        let stream: DiskBodyStream
        let queue = IOQueue.lane()
        var index = 0

        mutating func next() async throws -> Data? {
            try Task.checkCancellation()
            guard index < stream.body.checksums.count else { return nil }
            let data = await queue.run { [stream, index] in stream.chunk(index) }
            guard let data else {
                stream.damaged()
                throw TransportError(
                    .truncatedBody, phase: .receivingBody,
                    message:
                        "A stored response is damaged on disk from byte \(index * DiskBody.chunkSize) on. It was removed."
                )
            }
            index += 1
            return data
        }
    }
}
