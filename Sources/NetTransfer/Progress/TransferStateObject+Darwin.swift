#if canImport(Combine)
    public import Combine
    public import NetCore

    /// How a transfer is doing, for SwiftUI on iOS 15 and 16, macOS 12 and 13: ``TransferState`` as an `ObservableObject`.
    ///
    /// It reads the stream, so nothing else can. Letting go of it does not stop the transfer: ``cancel()`` does.
    @MainActor
    public final class TransferStateObject<Value: Sendable>: ObservableObject, TransferFace {
        /// How far it has come; nil before the first news.
        @Published public internal(set) var progress: TransferProgress?

        /// The result; nil as long as there is none.
        @Published public internal(set) var result: Result<Value, NetworkFailure>?

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

        private let task: TransferTask<Value>
        private let following = Locked<Task<Void, Never>?>(nil)

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

    extension TransferTask where Value: Sendable {
        /// The result as a publisher of Combine, whenever the transfer has ended. Cancelling a subscription does not stop the transfer,
        /// which others may wait for: ``cancel()`` does.
        public var publisher: AnyPublisher<Value, NetworkFailure> {
            CallPublisher { [self] in
                do throws(NetworkFailure) { return .success(try await value) } catch { return .failure(error) }
            }
            .eraseToAnyPublisher()
        }
    }

    extension AsyncStream<TransferProgress> {
        /// The progress as a publisher of Combine. A stream has one reader, and so this has one subscriber: `share()` makes several.
        public var publisher: AnyPublisher<TransferProgress, Never> {
            let stream = self
            return StreamPublisher { stream }.eraseToAnyPublisher()
        }
    }
#endif
