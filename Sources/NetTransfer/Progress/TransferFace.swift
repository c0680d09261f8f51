import NetCore

/// What shows how a transfer is doing: ``TransferState`` from iOS 17 on, `TransferStateObject` before.
@MainActor
protocol TransferFace: AnyObject {
    associatedtype Value: Sendable

    var progress: TransferProgress? { get set }
    var result: Result<Value, NetworkFailure>? { get set }
}

extension TransferTask {
    /// Tells a face the progress and the result, until the task that is given back is cancelled.
    @MainActor
    func follow<Face: TransferFace>(
        _ progress: AsyncStream<TransferProgress>, for face: Face
    ) -> Task<Void, Never> where Face.Value == Value {
        Task { [weak face] in
            for await news in progress { face?.progress = news }
            do throws(NetworkFailure) {
                let value = try await value
                face?.result = .success(value)
            } catch {
                // Not after the following was cancelled.
                if !Task.isCancelled { face?.result = .failure(error) }
            }
        }
    }
}
