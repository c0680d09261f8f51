import NetCore

/// Cuts a stream of bytes into lines: ended by LF, CRLF or CR, also where a chunk ends between CR and LF. A byte order mark at the
/// start of the stream is left out.
///
/// Each byte is looked at by `memchr` alone, once for each kind of line end, and copied once.
struct LineScanner: Sendable {
    /// What came and was not consumed yet, and in front of it what was.
    private(set) var bytes: [UInt8] = []
    private let limit: Int
    /// Where the next line begins.
    private var start = 0
    private var lineFeed = Finder(byte: UInt8(ascii: "\n"))
    private var carriageReturn = Finder(byte: UInt8(ascii: "\r"))
    /// A CR was the last byte so far: a LF behind it belongs to the same line end.
    private var skipsLineFeed = false
    private var isAtStart = true
    private(set) var isFinished = false

    /// - Parameter limit: the most bytes of one line.
    init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// Adds what came. All lines of what came before have to be taken by then, or it is moved again and again.
    mutating func append(_ chunk: Data) {
        if start > 0 {
            bytes.removeSubrange(0..<start)
            lineFeed.moveBack(by: start)
            carriageReturn.moveBack(by: start)
            start = 0
        }
        chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Says that nothing more comes: what has no line end is a line as well.
    mutating func finish() {
        isFinished = true
    }

    /// Where in ``bytes`` the next line is, without its end; nil if more has to come.
    ///
    /// - Throws: ``NetworkError/responseTooLarge(limit:)`` for a line over the limit, complete or not, behind all lines before it.
    mutating func next() throws(NetworkError) -> Range<Int>? {
        if skipsLineFeed, start < bytes.count {
            skipsLineFeed = false
            if bytes[start] == lineFeed.byte { start += 1 }
        }
        let end = min(lineFeed.position(in: bytes, from: start), carriageReturn.position(in: bytes, from: start))
        guard end - start <= limit else { throw .responseTooLarge(limit: limit) }
        guard end < bytes.count else {
            guard isFinished, start < end else { return nil }
            let rest = line(upTo: end, next: end)
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
        return line(upTo: end, next: next)
    }

    private mutating func line(upTo end: Int, next: Int) -> Range<Int> {
        var first = start
        start = next
        if isAtStart {
            isAtStart = false
            if bytes[first..<end].starts(with: [0xEF, 0xBB, 0xBF]) { first += 3 }
        }
        return first..<end
    }
}

/// Finds one byte again and again without looking at anything twice: or a stream with CR alone as its line ends would be searched for LF
/// to the end of the chunk with each line.
private struct Finder: Sendable {
    let byte: UInt8
    /// No such byte is between the place last asked for and this one.
    private var known = 0

    init(byte: UInt8) {
        self.byte = byte
    }

    mutating func moveBack(by count: Int) {
        known = max(0, known - count)
    }

    /// The first one at or behind `start`; the number of bytes if there is none.
    mutating func position(in bytes: [UInt8], from start: Int) -> Int {
        known = max(known, start)
        guard known < bytes.count, bytes[known] != byte else { return known }
        known = bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress,
                let found = memchr(base + known, Int32(byte), buffer.count - known)
            else { return buffer.count }
            return base.distance(to: UnsafeRawPointer(found))
        }
        return known
    }
}
