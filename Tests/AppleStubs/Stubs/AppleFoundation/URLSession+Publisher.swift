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
            var made: URLSessionDataTask?
            let answer = Future<Output, Failure> { promise in
                nonisolated(unsafe) let promise = promise
                made = session.dataTask(with: request) { data, response, error in
                    if let response, error == nil {
                        promise(.success((data ?? Data(), response)))
                    } else {
                        promise(.failure(error as? URLError ?? URLError(.unknown)))
                    }
                }
            }
            let task = made
            answer.handleEvents(
                receiveCancel: { task?.cancel() }, receiveRequest: { if $0 > .none { task?.resume() } }
            ).subscribe(subscriber)
        }
    }
}
