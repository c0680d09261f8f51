import NetCore

/// Splits a stream of bytes into lines that end with LF, CRLF or CR, even if a chunk ends between CR and LF. Removes a byte order mark
/// at the start.
///
/// It only runs `memchr` over the bytes, once for each kind of line end, and copies them once.
struct LineScanner: Sendable {
    /// Consumed bytes, followed by unread bytes.
    private var bytes: [UInt8] = []
    private var cursor: LineCursor
    private(set) var isFinished = false

    /// - Parameter limit: the largest number of bytes of a line.
    init(limit: Int) {
        cursor = LineCursor(limit: max(0, limit))
    }

    /// Adds a chunk. Take all lines first, or the rest is moved with each chunk.
    mutating func append(_ chunk: Data) {
        let consumed = cursor.moveToFront()
        if consumed > 0 { bytes.removeSubrange(0..<consumed) }
        chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Ends the stream. The rest without a line end is a line too.
    mutating func finish() {
        isFinished = true
    }

    /// Passes lines to a closure until it returns a value. Nil if more bytes are needed. One call handles many lines, since the access to
    /// the bytes costs as much as a short line.
    ///
    /// - Parameter make: called with each line, without its end. It returns nil to continue.
    /// - Throws: ``NetworkError/responseTooLarge(limit:)`` for a line over the limit, complete or not, after all lines before it.
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

/// The position of a ``LineScanner`` in its bytes.
private struct LineCursor: Sendable {
    private let limit: Int
    /// The first position of the next line.
    private var start = 0
    private var lineFeed = Finder(byte: UInt8(ascii: "\n"))
    private var carriageReturn = Finder(byte: UInt8(ascii: "\r"))
    /// Whether the last byte was a CR. A following LF belongs to the same line end.
    private var skipsLineFeed = false
    private var isAtStart = true

    init(limit: Int) {
        self.limit = limit
    }

    /// Resets the position to zero. Returns the number of bytes before the next line, which are to be removed.
    mutating func moveToFront() -> Int {
        defer { start = 0 }
        lineFeed.moveBack(by: start)
        carriageReturn.moveBack(by: start)
        return start
    }

    /// Returns the range of the next line without its end, or nil if more bytes are needed.
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

/// Finds a byte repeatedly without searching any part twice. Otherwise a stream with CR line ends would be searched for LF up to the end
/// of the chunk with each line.
private struct Finder: Sendable {
    let byte: UInt8
    /// There is no such byte between the last start and this position.
    private var known = 0

    init(byte: UInt8) {
        self.byte = byte
    }

    mutating func moveBack(by count: Int) {
        known = max(0, known - count)
    }

    /// Returns the position of the first such byte from `start` on, or the number of bytes if there is none.
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

/// Reads a body line by line. It requests the next chunk when all lines of the last one are taken.
struct LineReader {
    private var scanner: LineScanner
    /// Nil after the end, so that the connection does not wait for a reader.
    private var chunks: HTTPBody.AsyncIterator?
    private let errors: StreamErrors
    private var count = 0

    init(_ body: HTTPBody, limit: Int, errors: StreamErrors) {
        scanner = LineScanner(limit: limit)
        chunks = body.makeAsyncIterator()
        self.errors = errors
    }

    /// Returns a value made from the next line for which there is one.
    ///
    /// - Parameter make: called with a line without its end, and its number, 1 for the first. It returns nil to skip the line.
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
    /// Ends a reader whose task was cancelled while it took lines that it had read already. It still asks the source, so that the transport
    /// notices and closes the connection.
    mutating func stopIfCancelled() async throws {
        guard Task.isCancelled else { return }
        _ = try await next()
        throw CancellationError()
    }
}
