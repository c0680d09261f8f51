#if canImport(Combine)
    public import Combine
    public import NetCore

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
