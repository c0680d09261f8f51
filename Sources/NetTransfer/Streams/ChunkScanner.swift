import NetCore

/// Finds items in a stream of bytes: lines, elements of an array.
protocol ChunkCursor: Sendable {
    /// Resets the position to the front of the bytes. Returns the number of consumed bytes, which are removed.
    mutating func moveToFront() -> Int

    /// Returns the range of the next item, or nil if more bytes are needed, or at the end. If `isFinished`, no further bytes follow.
    mutating func next(in bytes: UnsafeRawBufferPointer, isFinished: Bool) throws(NetworkError) -> Range<Int>?
}

/// Splits a stream of bytes into items. It copies the bytes once.
struct ChunkScanner<Cursor: ChunkCursor>: Sendable {
    /// Consumed bytes, followed by unread bytes.
    fileprivate var bytes: [UInt8] = []
    private var cursor: Cursor
    /// Whether no further chunks follow.
    var isFinished = false

    init(_ cursor: Cursor) { self.cursor = cursor }

    /// Adds a chunk. Take all items first, or the rest is moved with each chunk.
    mutating func append(_ chunk: Data) {
        let consumed = cursor.moveToFront()
        if consumed > 0 { bytes.removeSubrange(0..<consumed) }
        chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Passes items to a closure until it returns a value. Nil if more bytes are needed. One call handles many items, since the access to
    /// the bytes costs as much as a short line.
    mutating func first<Value>(_ make: (UnsafeRawBufferPointer) -> Value?) throws(NetworkError) -> Value? {
        try bytes.withUnsafeBufferPointer { buffer throws(NetworkError) in
            let bytes = UnsafeRawBufferPointer(buffer)
            while let item = try cursor.next(in: bytes, isFinished: isFinished) {
                if let value = make(UnsafeRawBufferPointer(rebasing: bytes[item])) { return value }
            }
            return nil
        }
    }
}

/// Reads a body item by item. It requests the next chunk when all items of the last one are taken.
struct ChunkReader<Cursor: ChunkCursor> {
    private var scanner: ChunkScanner<Cursor>
    /// Nil after the end, so that the connection does not wait for a reader.
    private var chunks: HTTPBody.AsyncIterator?
    private let errors: StreamErrors
    private var count = 0

    init(_ body: HTTPBody, _ cursor: Cursor, errors: StreamErrors) {
        scanner = ChunkScanner(cursor)
        chunks = body.makeAsyncIterator()
        self.errors = errors
    }

    /// Returns a value made from the next item for which `make` returns one. It is called with an item, and its number, 1 for the first.
    mutating func next<Value>(
        _ make: (_ item: UnsafeRawBufferPointer, _ number: Int) throws -> Value?
    ) async throws -> Value? {
        guard chunks != nil else { return nil }
        do {
            try await chunks?.stopIfCancelled()
            while true {
                let made = try scanner.first { item -> Result<Value, any Error>? in
                    count += 1
                    do { return try make(item, count).map(Result.success) } catch { return .failure(error) }
                }
                if let made { return try made.get() }
                if scanner.isFinished {
                    end()
                    return nil
                }
                if let chunk = try await chunks?.next() { scanner.append(chunk) } else { scanner.isFinished = true }
            }
        } catch {
            end()
            throw errors(error)
        }
    }

    private mutating func end() {
        chunks = nil
        scanner.bytes = []
    }
}

extension HTTPBody.AsyncIterator {
    /// Ends a reader whose task was cancelled while it took lines that it had read. It asks the source again, so that the connection is closed.
    mutating func stopIfCancelled() async throws {
        guard Task.isCancelled else { return }
        _ = try await next()
        throw CancellationError()
    }
}
