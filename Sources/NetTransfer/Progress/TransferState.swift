public import NetCore

#if canImport(Observation)
    public import Observation
#endif

/// An observable object that shows a transfer: ``TransferState`` from iOS 17 on, `TransferStateObject` before.
@MainActor
protocol TransferModel: AnyObject {
    associatedtype Value: Sendable

    var progress: TransferProgress? { get set }
    var result: Result<Value, NetworkFailure>? { get set }
}

extension TransferTask {
    /// Sets the object's progress and result, until the returned task is cancelled.
    @MainActor
    func follow<Model: TransferModel>(
        _ progress: AsyncStream<TransferProgress>, for model: Model
    ) -> Task<Void, Never> where Model.Value == Value {
        Task { [weak model] in
            for await news in progress { model?.progress = news }
            do throws(NetworkFailure) {
                let value = try await value
                model?.result = .success(value)
            } catch {
                // Cancelling the following is not a result.
                if !Task.isCancelled { model?.result = .failure(error) }
            }
        }
    }
}

#if canImport(Observation)
    /// The state of a transfer, for user interfaces: a view that reads it is updated when it changes.
    ///
    /// ```swift
    /// let (progress, task) = client.upload(file: fileURL, to: UploadEndpoint())
    /// let state = await TransferState(progress, task)
    /// print(await state.fractionCompleted ?? 0)
    /// ```
    ///
    /// In SwiftUI: `ProgressView(value: state.fractionCompleted)`. It reads the stream, so that nothing else can. Releasing it does not
    /// stop the transfer; ``cancel()`` does.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable
    public final class TransferState<Value: Sendable>: TransferModel {
        /// The latest progress, or nil before the first.
        public internal(set) var progress: TransferProgress?

        /// The result, or nil while the transfer runs.
        public internal(set) var result: Result<Value, NetworkFailure>?

        /// The completed fraction, from 0 to 1, or nil if the length is unknown.
        public var fractionCompleted: Double? { progress?.fractionCompleted }

        /// The value of the transfer, or nil if it runs or has failed.
        public var value: Value? { try? result?.get() }
        /// The failure, or nil if the transfer runs or has succeeded.
        public var failure: NetworkFailure? { if case .failure(let failure)? = result { failure } else { nil } }

        public var isFinished: Bool { result != nil }

        @ObservationIgnored private let task: TransferTask<Value>
        @ObservationIgnored private let following = Locked<Task<Void, Never>?>(nil)

        /// Follows a transfer.
        ///
        /// - Parameters:
        ///   - progress: the transfer's progress.
        ///   - task: the transfer.
        public init(_ progress: AsyncStream<TransferProgress>, _ task: TransferTask<Value>) {
            self.task = task
            let follower = task.follow(progress, for: self)
            following.withLock { $0 = follower }
        }

        deinit { following.withLock { $0 }?.cancel() }

        /// Stops the transfer. It then fails with ``NetworkError/cancelled``.
        public func cancel() { task.cancel() }

        /// Pauses the transfer until ``resume()``.
        ///
        /// - Throws: ``NetworkError/unsupported(_:)`` for a transfer that cannot be paused, such as a plain upload.
        public func pause() throws(NetworkError) { try task.pause() }

        /// Resumes a paused transfer.
        ///
        /// - Throws: as ``pause()``.
        public func resume() throws(NetworkError) { try task.resume() }
    }
#endif
