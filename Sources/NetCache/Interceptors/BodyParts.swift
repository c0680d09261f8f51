import NetCore

extension HTTPBody {
    /// Returns a part of the body, within its length. Of a stream, the bytes before the part are read and discarded.
    func part(_ range: Range<Int64>) -> HTTPBody {
        let length = range.upperBound - range.lowerBound
        switch source {
        case .data(let data):
            return HTTPBody(Data(data.dropFirst(Int(clamping: range.lowerBound)).prefix(Int(clamping: length))))
        case .file(let segment):
            let part = FileSegment(url: segment.url, offset: segment.offset + range.lowerBound, length: length)
            return HTTPBody(source: .file(part), length: length, isReplayable: true)
        case .stream:
            // Unsafe: `HTTPBody(length:pulling:)` allows one reader at a time.
            nonisolated(unsafe) var (iterator, toSkip, toGive) = (makeAsyncIterator(), range.lowerBound, length)
            return HTTPBody(length: length) {
                while toGive > 0, var chunk = try await iterator.next() {
                    let skipped = Swift.min(Int64(chunk.count), toSkip)
                    toSkip -= skipped
                    chunk = Data(chunk.dropFirst(Int(skipped)).prefix(Int(clamping: toGive)))
                    toGive -= Int64(chunk.count)
                    if !chunk.isEmpty { return chunk }
                }
                return nil
            }
        }
    }

    func followed(by rest: HTTPBody, length: Int64?) -> HTTPBody {
        // Unsafe: as above.
        nonisolated(unsafe) var (first, second) = (Optional(makeAsyncIterator()), rest.makeAsyncIterator())
        return HTTPBody(length: length) {
            if let chunk = try await first?.next() { return chunk }
            first = nil
            return try await second.next()
        }
    }
}
