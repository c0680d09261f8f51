#if canImport(Combine)
    public import Combine
    public import NetCore

    /// The state of a transfer, for SwiftUI on iOS 15 and 16, macOS 12 and 13: ``TransferState`` as an `ObservableObject`.
    ///
    /// It reads the stream, so that nothing else can. Releasing it does not stop the transfer; ``cancel()`` does.
    @MainActor
    public final class TransferStateObject<Value: Sendable>: ObservableObject, TransferModel {
        /// The latest progress, or nil before the first.
        @Published public internal(set) var progress: TransferProgress?

        /// The result, or nil while the transfer runs.
        @Published public internal(set) var result: Result<Value, NetworkFailure>?

        /// The completed fraction, from 0 to 1, or nil if the length is unknown.
        public var fractionCompleted: Double? { progress?.fractionCompleted }

        /// The value of the transfer, or nil if it runs or has failed.
        public var value: Value? { try? result?.get() }
        /// The failure, or nil if the transfer runs or has succeeded.
        public var failure: NetworkFailure? { if case .failure(let failure)? = result { failure } else { nil } }

        public var isFinished: Bool { result != nil }

        private let task: TransferTask<Value>
        private let following = Locked<Task<Void, Never>?>(nil)

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

    extension TransferTask where Value: Sendable {
        /// A publisher of the result. Cancelling a subscription does not stop the transfer; ``cancel()`` does.
        public var publisher: AnyPublisher<Value, NetworkFailure> {
            CallPublisher { [self] in
                do throws(NetworkFailure) { return .success(try await value) } catch { return .failure(error) }
            }
            .eraseToAnyPublisher()
        }
    }

    extension AsyncStream<TransferProgress> {
        /// A publisher of the progress. A stream has one reader, so the publisher has one subscriber. Use `share()` for several.
        public var publisher: AnyPublisher<TransferProgress, Never> {
            let stream = self
            return CallPublisher(reading: { stream }).eraseToAnyPublisher()
        }
    }
#endif
