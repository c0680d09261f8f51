public import NetCore
public import NetTransfer

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
