public import Combine

extension URLSession {
    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
        DataTaskPublisher(request: request, session: self)
    }

    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher { dataTaskPublisher(for: URLRequest(url: url)) }

    /// https://developer.apple.com/documentation/foundation/urlsession/datataskpublisher
    ///
    /// Each subscriber has a task of its own, which starts with the first demand.
    public struct DataTaskPublisher: Publisher, Sendable {
        public typealias Output = (data: Data, response: URLResponse)
        public typealias Failure = URLError

        public let request: URLRequest
        public let session: URLSession

        public init(request: URLRequest, session: URLSession) { (self.request, self.session) = (request, session) }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
            subscriber.receive(subscription: Inner(request, session, AnySubscriber(subscriber)))
        }

        private final class Inner: Subscription, @unchecked Sendable {
            private let lock = NSLock()
            private let request: URLRequest
            private let session: URLSession
            private var subscriber: AnySubscriber<Output, Failure>?
            private var task: URLSessionDataTask?

            init(_ request: URLRequest, _ session: URLSession, _ subscriber: AnySubscriber<Output, Failure>) {
                (self.request, self.session, self.subscriber) = (request, session, subscriber)
            }

            func request(_ demand: Subscribers.Demand) {
                guard demand > .none else { return }
                let task: URLSessionDataTask? = lock.withLock {
                    guard self.task == nil, subscriber != nil else { return nil }
                    let task = session.dataTask(with: request) { [self] in complete($0, $1, $2) }
                    self.task = task
                    return task
                }
                task?.resume()
            }

            func cancel() {
                let task = lock.withLock {
                    subscriber = nil
                    return self.task
                }
                task?.cancel()
            }

            private func complete(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
                let subscriber = lock.withLock {
                    defer { self.subscriber = nil }
                    return self.subscriber
                }
                guard let subscriber else { return }
                guard let response, error == nil else {
                    return subscriber.receive(completion: .failure(error as? URLError ?? URLError(.unknown)))
                }
                _ = subscriber.receive((data ?? Data(), response))
                subscriber.receive(completion: .finished)
            }
        }
    }
}
