public import NetCore
public import NetTransfer

extension MockNetworkClient: TransferClientProtocol {
    /// Answers an upload to an endpoint, with progress.
    ///
    /// ```swift
    /// let mock = MockNetworkClient()
    /// await mock.stubUpload(
    ///     UploadEndpoint.self, progressSequence: [TransferProgress(bytesCompleted: 1000, totalBytes: 1000, isComplete: true)]
    /// ) { endpoint in User(id: 1, name: "Leia") }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the endpoint's type. A later stub replaces an earlier one. ``stub(_:delay:response:)`` does not answer uploads.
    ///   - progressSequence: the values of the progress stream, which are not checked.
    ///   - delay: the delay of each progress value and of the response in seconds.
    ///   - response: returns the response.
    public func stubUpload<E: Endpoint>(
        _ type: E.Type, progressSequence: [TransferProgress] = [], delay: TimeInterval = 0,
        response: @escaping @Sendable (E) async throws -> E.Response
    ) {
        add(.upload(.init(type)), progressSequence, delay: delay, response)
    }

    /// Returns the progress and the response of the stub without reading the content. The call is counted when the upload has begun, at
    /// the latest before the first progress value or the response.
    public nonisolated func upload<E: Endpoint>(
        _ content: Uploader.Content, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        transfer(endpoint, for: .upload(.init(E.self)))
    }

    /// Answers a download from an endpoint, with progress.
    ///
    /// ```swift
    /// let mock = MockNetworkClient()
    /// await mock.stubDownload(
    ///     GetUserEndpoint.self, progressSequence: [TransferProgress(bytesCompleted: 10000, totalBytes: 10000, isComplete: true)],
    ///     destinationURL: URL(fileURLWithPath: "/tmp/test.zip"))
    /// ```
    ///
    /// - Parameters:
    ///   - type: the endpoint's type. A later stub replaces an earlier one.
    ///   - progressSequence: the values of the progress stream, which are not checked.
    ///   - delay: the delay of each progress value and of the response in seconds.
    ///   - destinationURL: the value of the task, whatever the destination. The test makes the file if it needs one.
    public func stubDownload<E: Endpoint>(
        _ type: E.Type, progressSequence: [TransferProgress] = [], delay: TimeInterval = 0, destinationURL: URL
    ) {
        add(.download(.init(type)), progressSequence, delay: delay) { (_: E) in destinationURL }
    }

    /// Fails a download from an endpoint after some progress.
    public func stubDownloadError<E: Endpoint>(
        _ type: E.Type, error: NetworkFailure, progressSequence: [TransferProgress] = [], delay: TimeInterval = 0
    ) {
        add(.download(.init(type)), progressSequence, delay: delay) { (_: E) -> URL in throw error }
    }

    /// Returns the progress and the URL of the stub, and writes no file. The call is counted when the download has begun.
    public nonisolated func download<E: Endpoint>(
        from endpoint: E, to destination: URL?, options: Downloader.Options
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        transfer(endpoint, for: .download(.init(E.self)))
    }

    /// Starts a stubbed transfer.
    nonisolated func transfer<Value>(
        _ endpoint: some Endpoint, for key: StubKey
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        // Unbounded, since the test limits the sequence of the stub.
        let (stream, continuation) = AsyncStream<TransferProgress>.makeStream()
        let task = TransferTask<Value>.start { [self] in
            defer { continuation.finish() }
            return try await answer(endpoint, for: key) { continuation.yield($0) }
        }
        return (stream, task)
    }
}
