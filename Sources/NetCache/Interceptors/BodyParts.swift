import NetCore

extension HTTPBody {
    /// Returns a part of the body. Of a stream, the bytes before the part are read and discarded.
    ///
    /// - Parameter range: a range within the body's length.
    func part(_ range: Range<Int64>) -> HTTPBody {
        let length = range.upperBound - range.lowerBound
        switch source {
        case .data(let data):
            return HTTPBody(Data(data.dropFirst(Int(clamping: range.lowerBound)).prefix(Int(clamping: length))))
        case .file(let segment):
            let part = FileSegment(url: segment.url, offset: segment.offset + range.lowerBound, length: length)
            return HTTPBody(source: .file(part), length: length, isReplayable: true)
        case .stream:
            let reader = PartReader(self, range: range)
            return HTTPBody(length: length, pulling: { try await reader.next() })
        }
    }

    /// Returns this body followed by another one.
    func followed(by rest: HTTPBody, length: Int64?) -> HTTPBody {
        let reader = ChainReader(self, rest)
        return HTTPBody(length: length, pulling: { try await reader.next() })
    }
}

/// Reads one part of a stream.
private final class PartReader: @unchecked Sendable {
    // Unchecked: `HTTPBody(length:pulling:)` allows one reader at a time.
    private var iterator: HTTPBody.AsyncIterator
    private var toSkip: Int64
    private var toGive: Int64

    init(_ body: HTTPBody, range: Range<Int64>) {
        iterator = body.makeAsyncIterator()
        toSkip = range.lowerBound
        toGive = range.upperBound - range.lowerBound
    }

    func next() async throws -> Data? {
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

/// Reads two bodies, one after the other.
private final class ChainReader: @unchecked Sendable {
    // Unchecked: as above.
    private var first: HTTPBody.AsyncIterator?
    private var second: HTTPBody.AsyncIterator

    init(_ first: HTTPBody, _ second: HTTPBody) {
        self.first = first.makeAsyncIterator()
        self.second = second.makeAsyncIterator()
    }

    func next() async throws -> Data? {
        if let chunk = try await first?.next() { return chunk }
        first = nil
        return try await second.next()
    }
}
