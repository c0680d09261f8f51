extension URLSession {
    /// https://developer.apple.com/documentation/foundation/urlsession/asyncbytes
    @available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8
        public typealias AsyncIterator = Iterator

        public let task: URLSessionDataTask
        let buffer: BytesBuffer

        public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

        /// https://developer.apple.com/documentation/foundation/urlsession/asyncbytes/iterator
        public struct Iterator: AsyncIteratorProtocol {
            let buffer: BytesBuffer
            private var chunk = Data().makeIterator()

            init(buffer: BytesBuffer) { self.buffer = buffer }

            public mutating func next() async throws -> UInt8? {
                while true {
                    if let byte = chunk.next() { return byte }
                    guard let data = try await buffer.next() else { return nil }
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
final class BytesBuffer: @unchecked Sendable {
    private let lock = NSLock()
    private var chunks: [Data] = []
    private var head: URLResponse?
    private var end: Result<Void, any Error>?
    private var waitingForHead: CheckedContinuation<URLResponse, any Error>?
    private var waitingForData: CheckedContinuation<Data?, any Error>?

    func begin(_ response: URLResponse) {
        let waiting = lock.withLock {
            head = response
            defer { waitingForHead = nil }
            return waitingForHead
        }
        waiting?.resume(returning: response)
    }

    func append(_ data: Data) {
        let waiting: CheckedContinuation<Data?, any Error>? = lock.withLock {
            guard let waitingForData else {
                chunks.append(data)
                return nil
            }
            self.waitingForData = nil
            return waitingForData
        }
        waiting?.resume(returning: data)
    }

    func finish(_ error: (any Error)?) {
        let (headWaiter, dataWaiter) = lock.withLock {
            end = error.map { .failure($0) } ?? .success(())
            defer { (waitingForHead, waitingForData) = (nil, nil) }
            return (waitingForHead, waitingForData)
        }
        let error = error ?? URLError(.badServerResponse)
        headWaiter?.resume(throwing: error)
        switch lock.withLock({ end }) {
        case .failure(let error)?: dataWaiter?.resume(throwing: error)
        default: dataWaiter?.resume(returning: nil)
        }
    }

    func response() async throws -> URLResponse {
        try await withCheckedThrowingContinuation { continuation in
            let known: Result<URLResponse, any Error>? = lock.withLock {
                if let head { return .success(head) }
                if case .failure(let error)? = end { return .failure(error) }
                waitingForHead = continuation
                return nil
            }
            if let known { continuation.resume(with: known) }
        }
    }

    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            let known: Result<Data?, any Error>? = lock.withLock {
                if !chunks.isEmpty { return .success(chunks.removeFirst()) }
                switch end {
                case .success?: return .success(nil)
                case .failure(let error)?: return .failure(error)
                case nil:
                    waitingForData = continuation
                    return nil
                }
            }
            if let known { continuation.resume(with: known) }
        }
    }
}
