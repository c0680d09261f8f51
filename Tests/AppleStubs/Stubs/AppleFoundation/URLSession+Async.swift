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
        let (answers, teller) = AsyncThrowingStream<(Value, URLResponse), any Error>.makeStream()
        let task = make { value, response, error in
            if let value, let response {
                teller.yield((value, response))
            } else {
                teller.finish(throwing: error ?? URLError(.unknown))
            }
        }
        task.delegate = delegate
        return try await withTaskCancellationHandler {
            task.resume()
            // A cancellation comes by way of the task, as its error.
            return try await Task {
                for try await answer in answers { return answer }
                throw URLError(.unknown)
            }.value
        } onCancel: {
            task.cancel()
        }
    }
}
