extension URLSession {
    /// https://developer.apple.com/documentation/foundation/urlsession/asyncbytes
    @available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8
        public typealias AsyncIterator = Iterator

        public let task: URLSessionDataTask
        let buffer: BytesBuffer

        public func makeAsyncIterator() -> Iterator { Iterator(chunks: buffer.chunks.stream.makeAsyncIterator()) }

        /// https://developer.apple.com/documentation/foundation/urlsession/asyncbytes/iterator
        public struct Iterator: AsyncIteratorProtocol {
            var chunks: AsyncThrowingStream<Data, any Error>.Iterator
            private var chunk = Data().makeIterator()

            init(chunks: AsyncThrowingStream<Data, any Error>.Iterator) { self.chunks = chunks }

            public mutating func next() async throws -> UInt8? {
                while true {
                    if let byte = chunk.next() { return byte }
                    guard let data = try await chunks.next() else {
                        try Task.checkCancellation()
                        return nil
                    }
                    chunk = data.makeIterator()
                }
            }
        }
    }

    @available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        let buffer = BytesBuffer()
        let task = makeDataTask(request, sink: .bytes(buffer))
        task.delegate = delegate
        let response = try await withTaskCancellationHandler {
            task.resume()
            return try await buffer.response()
        } onCancel: {
            task.cancel()
        }
        return (AsyncBytes(task: task, buffer: buffer), response)
    }

    @available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
    public func bytes(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) { try await bytes(for: URLRequest(url: url), delegate: delegate) }
}

/// What a task has received and nobody has read yet.
struct BytesBuffer: Sendable {
    let heads = AsyncThrowingStream<URLResponse, any Error>.makeStream()
    let chunks = AsyncThrowingStream<Data, any Error>.makeStream()

    func begin(_ response: URLResponse) { heads.continuation.yield(response) }
    func append(_ data: Data) { chunks.continuation.yield(data) }

    func finish(_ error: (any Error)?) {
        heads.continuation.finish(throwing: error)
        chunks.continuation.finish(throwing: error)
    }

    func response() async throws -> URLResponse {
        for try await head in heads.stream { return head }
        throw URLError(Task.isCancelled ? .cancelled : .badServerResponse)
    }
}
