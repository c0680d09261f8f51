import NetCore
import NetTransfer

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
