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
