public import NetCore

#if canImport(Observation)
    public import Observation
#endif

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

#if canImport(Observation)
    /// How a transfer is doing, for user interfaces: a view that reads it is drawn again when it changes.
    ///
    /// ```swift
    /// let (progress, task) = client.upload(file: fileURL, to: UploadEndpoint())
    /// let state = await TransferState(progress, task)
    /// print(await state.fractionCompleted ?? 0)
    /// ```
    ///
    /// In SwiftUI: `ProgressView(value: state.fractionCompleted)`. It reads the stream, which nobody else can read then. Letting go of
    /// it does not stop the transfer: ``cancel()`` does.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable
    public final class TransferState<Value: Sendable>: TransferFace {
        /// How far it has come; nil before the first news.
        public internal(set) var progress: TransferProgress?

        /// The result; nil as long as there is none.
        public internal(set) var result: Result<Value, NetworkFailure>?

        /// The part that is done, from 0 to 1; nil if the length is not known.
        public var fractionCompleted: Double? { progress?.fractionCompleted }

        /// What the transfer gave; nil if it is running or failed.
        public var value: Value? { try? result?.get() }

        /// Why it failed; nil if it is running or did not.
        public var failure: NetworkFailure? {
            if case .failure(let failure)? = result { failure } else { nil }
        }

        /// Whether there is a result.
        public var isFinished: Bool { result != nil }

        @ObservationIgnored private let task: TransferTask<Value>
        @ObservationIgnored private let following = Locked<Task<Void, Never>?>(nil)

        /// Follows a transfer that has been started.
        ///
        /// - Parameters:
        ///   - progress: its progress.
        ///   - task: the transfer.
        public init(_ progress: AsyncStream<TransferProgress>, _ task: TransferTask<Value>) {
            self.task = task
            let follower = task.follow(progress, for: self)
            following.withLock { $0 = follower }
        }

        deinit {
            following.withLock { $0 }?.cancel()
        }

        /// Stops the transfer: its failure then is ``NetworkError/cancelled``.
        public func cancel() { task.cancel() }

        /// Stops it in such a way that ``resume()`` goes on with it.
        ///
        /// - Throws: ``NetworkError/unsupported(_:)`` for a transfer that cannot be paused, such as a plain upload.
        public func pause() throws(NetworkError) { try task.pause() }

        /// Goes on with a transfer that was paused.
        ///
        /// - Throws: as ``pause()``.
        public func resume() throws(NetworkError) { try task.resume() }
    }
#endif
