import NetCore

/// Cuts a stream of bytes into lines: ended by LF, CRLF or CR, also where a chunk ends between CR and LF. A byte order mark at the
/// start of the stream is left out.
///
/// Each byte is looked at by `memchr` alone, once for each kind of line end, and copied once.
struct LineScanner: Sendable {
    /// What came and was not consumed yet, and in front of it what was.
    private var bytes: [UInt8] = []
    private var cursor: LineCursor
    private(set) var isFinished = false

    /// - Parameter limit: the most bytes of one line.
    init(limit: Int) {
        cursor = LineCursor(limit: max(0, limit))
    }

    /// Adds what came. All lines of what came before have to be taken by then, or it is moved again and again.
    mutating func append(_ chunk: Data) {
        let consumed = cursor.moveToFront()
        if consumed > 0 { bytes.removeSubrange(0..<consumed) }
        chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Says that nothing more comes: what has no line end is a line as well.
    mutating func finish() {
        isFinished = true
    }

    /// Goes through the lines that are there until something is made of one; nil if more has to come. One call for many lines, since
    /// letting go of the bytes and taking them up again costs as much as a short line does.
    ///
    /// - Parameter make: gets each line without its end; nil goes on to the next.
    /// - Throws: ``NetworkError/responseTooLarge(limit:)`` for a line over the limit, complete or not, behind all lines before it.
    mutating func first<Value>(_ make: (UnsafeRawBufferPointer) -> Value?) throws(NetworkError) -> Value? {
        try bytes.withUnsafeBufferPointer { buffer throws(NetworkError) in
            let bytes = UnsafeRawBufferPointer(buffer)
            while let line = try cursor.next(in: bytes, isFinished: isFinished) {
                if let value = make(UnsafeRawBufferPointer(rebasing: bytes[line])) { return value }
            }
            return nil
        }
    }
}

/// How far a ``LineScanner`` has come in its bytes.
private struct LineCursor: Sendable {
    private let limit: Int
    /// Where the next line begins.
    private var start = 0
    private var lineFeed = Finder(byte: UInt8(ascii: "\n"))
    private var carriageReturn = Finder(byte: UInt8(ascii: "\r"))
    /// A CR was the last byte so far: a LF behind it belongs to the same line end.
    private var skipsLineFeed = false
    private var isAtStart = true

    init(limit: Int) {
        self.limit = limit
    }

    /// Says that the bytes before the next line go; gives how many these are.
    mutating func moveToFront() -> Int {
        defer { start = 0 }
        lineFeed.moveBack(by: start)
        carriageReturn.moveBack(by: start)
        return start
    }

    /// Where the next line is, without its end; nil if more has to come.
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
    mutating func position(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        known = max(known, start)
        guard known < bytes.count, bytes[known] != byte else { return known }
        guard let base = bytes.baseAddress, let found = memchr(base + known, Int32(byte), bytes.count - known) else {
            known = bytes.count
            return known
        }
        known = base.distance(to: UnsafeRawPointer(found))
        return known
    }
}

/// Reads a body line by line: the next chunk is asked for when all lines of the last one are taken.
struct LineReader {
    private var scanner: LineScanner
    /// Nil when nothing more is read, so that the connection does not wait for a reader.
    private var chunks: HTTPBody.AsyncIterator?
    private let errors: StreamErrors
    private var count = 0

    init(_ body: HTTPBody, limit: Int, errors: StreamErrors) {
        scanner = LineScanner(limit: limit)
        chunks = body.makeAsyncIterator()
        self.errors = errors
    }

    /// The next line of which something is made.
    ///
    /// - Parameter make: gets a line without its end, and its number, 1 for the first; nil leaves it out.
    mutating func next<Value>(
        _ make: (_ line: UnsafeRawBufferPointer, _ number: Int) throws -> Value?
    ) async throws -> Value? {
        guard chunks != nil else { return nil }
        do {
            try await chunks?.stopIfCancelled()
            while true {
                let made = try scanner.first { line -> Result<Value, any Error>? in
                    count += 1
                    do { return try make(line, count).map(Result.success) } catch { return .failure(error) }
                }
                if let made { return try made.get() }
                if scanner.isFinished {
                    end()
                    return nil
                }
                if let chunk = try await chunks?.next() { scanner.append(chunk) } else { scanner.finish() }
            }
        } catch {
            end()
            throw errors(error)
        }
    }

    private mutating func end() {
        chunks = nil
        scanner = LineScanner(limit: 0)
    }
}

extension HTTPBody.AsyncIterator {
    /// Ends a reader whose task was cancelled while it was busy with what it had read already. The source is asked even so: that is how a
    /// transport learns of it, and closes the connection.
    mutating func stopIfCancelled() async throws {
        guard Task.isCancelled else { return }
        _ = try await next()
        throw CancellationError()
    }
}
