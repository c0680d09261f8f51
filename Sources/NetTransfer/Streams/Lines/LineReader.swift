import NetCore

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
