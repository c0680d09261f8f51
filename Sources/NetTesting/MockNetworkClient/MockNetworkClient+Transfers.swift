public import NetCore
public import NetTransfer

// Uploads (seed 003): what a service that takes `any TransferClientProtocol` is tested with.
extension MockNetworkClient: TransferClientProtocol {
    /// Answers an upload to an endpoint, with progress.
    ///
    /// ```swift
    /// let mock = MockNetworkClient()
    /// await mock.stubUpload(
    ///     UploadEndpoint.self,
    ///     progressSequence: [
    ///         TransferProgress(bytesCompleted: 500, totalBytes: 1000),
    ///         TransferProgress(bytesCompleted: 1000, totalBytes: 1000, isComplete: true),
    ///     ]
    /// ) { endpoint in
    ///     User(id: 1, name: "Leia")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: of the endpoint. A later stub takes the place of an earlier one; what ``stub(_:delay:response:)`` says is for requests
    ///     and not for uploads.
    ///   - progressSequence: what the stream of progress gives, all of it, and ends with. None of it is checked.
    ///   - delay: how long each value of the progress and the answer take, in seconds.
    ///   - response: what it throws is the upload's failure.
    public func stubUpload<E: Endpoint>(
        _ type: E.Type, progressSequence: [TransferProgress] = [], delay: TimeInterval = 0,
        response: @escaping @Sendable (E) async throws -> E.Response
    ) {
        stubTransfer(.upload(type), progressSequence, delay: delay) { endpoint in
            guard let endpoint = endpoint as? E else { throw MockNetworkClient.nothing(for: .upload(type)) }
            return UncheckedSendable(try await response(endpoint))
        }
    }

    /// Fails an upload to an endpoint, after that progress.
    public func stubUploadError<E: Endpoint>(
        _ type: E.Type, error: NetworkFailure, progressSequence: [TransferProgress] = [], delay: TimeInterval = 0
    ) {
        stubUpload(type, progressSequence: progressSequence, delay: delay) { _ in throw error }
    }

    /// Sends nothing, not even reads the content, and gives progress and answer as stubbed. It is counted as a call of the endpoint when
    /// it has begun, so at the latest when the progress or the task has given something.
    public nonisolated func upload<E: Endpoint>(
        _ content: UploadContent, to endpoint: E
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<E.Response>) {
        transfer(endpoint, for: .upload(E.self))
    }
}

// Downloads (seed 003), as uploads are stubbed.
extension MockNetworkClient {
    /// Answers a download from an endpoint, with progress.
    ///
    /// ```swift
    /// let mock = MockNetworkClient()
    /// await mock.stubDownload(
    ///     GetUserEndpoint.self,
    ///     progressSequence: [
    ///         TransferProgress(bytesCompleted: 5000, totalBytes: 10000),
    ///         TransferProgress(bytesCompleted: 10000, totalBytes: 10000, isComplete: true),
    ///     ],
    ///     destinationURL: URL(fileURLWithPath: "/tmp/test.zip")
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - type: of the endpoint. A later stub takes the place of an earlier one.
    ///   - progressSequence: what the stream of progress gives, all of it, and ends with. None of it is checked.
    ///   - delay: how long each value of the progress and the answer take, in seconds.
    ///   - destinationURL: what the task's value is, whatever destination was asked for. No file is made there: that is the test's.
    public func stubDownload<E: Endpoint>(
        _ type: E.Type, progressSequence: [TransferProgress] = [], delay: TimeInterval = 0, destinationURL: URL
    ) {
        stubTransfer(.download(type), progressSequence, delay: delay) { _ in UncheckedSendable(destinationURL) }
    }

    /// Fails a download from an endpoint, after that progress.
    public func stubDownloadError<E: Endpoint>(
        _ type: E.Type, error: NetworkFailure, progressSequence: [TransferProgress] = [], delay: TimeInterval = 0
    ) {
        stubTransfer(.download(type), progressSequence, delay: delay) { _ in throw error }
    }

    /// Fetches and writes nothing, and gives progress and place as stubbed. It is counted as a call of the endpoint when it has begun.
    public nonisolated func download<E: Endpoint>(
        from endpoint: E, to destination: URL?, options: DownloadOptions
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<URL>) {
        transfer(endpoint, for: .download(E.self))
    }
}

// What uploads and downloads share.
extension MockNetworkClient {
    /// Answers a transfer with a sequence of progress and then a value.
    func stubTransfer(
        _ key: StubKey, _ progress: [TransferProgress], delay: TimeInterval,
        value: @escaping @Sendable (any Sendable) async throws -> any Sendable
    ) {
        add(Stub(delay: delay, progress: progress, respond: value), for: key)
    }

    /// Starts a transfer that was stubbed.
    nonisolated func transfer<Value>(
        _ endpoint: some Endpoint, for key: StubKey
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<Value>) {
        // As long as the sequence of the stub, which is a test's own.
        let (stream, continuation) = AsyncStream<TransferProgress>.makeStream()
        let task = TransferTask<Value>.start { [self] in
            defer { continuation.finish() }
            return try await answer(endpoint, for: key) { continuation.yield($0) }
        }
        return (stream, task)
    }
}
