@available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, *)
extension URLSession {
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { try await run(delegate) { makeDataTask(request, sink: .data($0)) } }

    public func data(from url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { makeUploadTask(request, .data(bodyData), sink: .data($0)) }
    }

    /// The file is the caller's.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await run(delegate) { makeDownloadTask(request, sink: .file(Self.keeping($0))) }
    }

    /// Moves the file away, before the task deletes it.
    private static func keeping(
        _ handler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> @Sendable (URL?, URLResponse?, (any Error)?) -> Void {
        { location, response, error in
            guard let location else { return handler(nil, response, error) }
            let kept = location.deletingLastPathComponent().appendingPathComponent("CFNetworkDownload_\(UUID()).tmp")
            do {
                try FileManager.default.moveItem(at: location, to: kept)
                handler(kept, response, error)
            } catch {
                handler(nil, response, error)
            }
        }
    }

    private func run<Value: Sendable>(
        _ delegate: (any URLSessionTaskDelegate)?,
        _ make: (@escaping @Sendable (Value?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
    ) async throws -> (Value, URLResponse) {
        let box = TaskBox()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = make { value, response, error in
                    if let value, let response {
                        continuation.resume(returning: (value, response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.unknown))
                    }
                }
                task.delegate = delegate
                box.hold(task)
                task.resume()
            }
        } onCancel: {
            box.cancel()
        }
    }
}

/// A task that is cancelled with the Swift task that waits for it, also if that was before it was made.
private final class TaskBox: @unchecked Sendable {
    private let lock = NSLock()
    private var task: URLSessionTask?
    private var isCancelled = false

    func hold(_ task: URLSessionTask) {
        let isCancelled = lock.withLock {
            self.task = task
            return self.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = lock.withLock {
            isCancelled = true
            return self.task
        }
        task?.cancel()
    }
}
