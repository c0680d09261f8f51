import NetCore

/// Finds lines that end with LF, CRLF (also across chunks) or CR. Removes a byte order mark at the start. The last line needs no end.
///
/// It only runs `memchr` over the bytes, once for each kind of line end.
struct LineCursor: ChunkCursor {
    private let limit: Int
    /// The first position of the next line.
    private var start = 0
    private var lineFeed = Finder(byte: UInt8(ascii: "\n"))
    private var carriageReturn = Finder(byte: UInt8(ascii: "\r"))
    /// Whether the last byte was a CR. A following LF belongs to the same line end.
    private var skipsLineFeed = false
    private var isAtStart = true

    /// - Parameter limit: the largest number of bytes of a line. A longer one, complete or not, throws ``NetworkError/responseTooLarge(limit:)``.
    init(limit: Int) { self.limit = max(0, limit) }

    mutating func moveToFront() -> Int {
        defer { start = 0 }
        lineFeed.moveBack(by: start)
        carriageReturn.moveBack(by: start)
        return start
    }

    mutating func next(in bytes: UnsafeRawBufferPointer, isFinished: Bool) throws(NetworkError) -> Range<Int>? {
        if skipsLineFeed, start < bytes.count {
            skipsLineFeed = false
            if bytes[start] == lineFeed.byte { start += 1 }
        }
        let end = min(lineFeed.position(in: bytes, from: start), carriageReturn.position(in: bytes, from: start))
        guard end - start <= limit else { throw .responseTooLarge(limit: limit) }
        guard end < bytes.count else {
            guard isFinished, start < end else { return nil }
            let rest = line(in: bytes, upTo: end, next: end)
            return rest.isEmpty ? nil : rest
        }
        var next = end + 1
        if bytes[end] == carriageReturn.byte {
            if next == bytes.count {
                skipsLineFeed = true
            } else if bytes[next] == lineFeed.byte {
                next += 1
            }
        }
        return line(in: bytes, upTo: end, next: next)
    }

    private mutating func line(in bytes: UnsafeRawBufferPointer, upTo end: Int, next: Int) -> Range<Int> {
        var first = start
        start = next
        if isAtStart {
            isAtStart = false
            if bytes[first..<end].starts(with: [0xEF, 0xBB, 0xBF]) { first += 3 }
        }
        return first..<end
    }
}

/// Finds a byte repeatedly without searching any part twice: each line of a stream with CR would search for LF up to the end of the chunk.
private struct Finder: Sendable {
    let byte: UInt8
    /// There is no such byte between the last start and this position.
    private var known = 0

    init(byte: UInt8) { self.byte = byte }

    mutating func moveBack(by count: Int) { known = max(0, known - count) }

    /// Returns the position of the first such byte from `start` on, or the number of bytes if there is none.
    mutating func position(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        known = max(known, start)
        guard known < bytes.count, bytes[known] != byte else { return known }
        known = bytes.firstIndex(of: byte, from: known) ?? bytes.count
        return known
    }
}
