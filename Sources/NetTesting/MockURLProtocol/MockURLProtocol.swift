public import NetCore

/// Answers what a `URLSession` sends, without a network (seed 004): for code that wants a `URLSession`, or a client on one.
///
/// Each test has a ``Scope`` of its own, so that tests can run at the same time:
///
/// ```swift
/// let mock = MockURLProtocol.scope { request in
///     try MockURLProtocol.answer(request, body: Data(#"{"id": 1, "name": "Leia"}"#.utf8))
/// }
/// let session = URLSession(configuration: mock.configuration)
/// let (data, _) = try await session.data(from: url)
/// print(mock.requests.first?.httpBody as Any)
/// ```
///
/// Handlers see the body in `httpBody`, however it was given: as data, as a file, or as a stream, which is read to its end first.
/// A status of 300 to 399 is given to the caller as it is: nothing is followed.
///
/// On Linux, a download task gets an error, since Foundation there ends the process when a `URLProtocol` of one's own answers one.
/// For the same reason, and since sockets fail in more ways than this can, prefer ``MockServer`` where you can.
public class MockURLProtocol: URLProtocol {
    /// Answers a request, whose body stands in `httpBody`. What it throws is the error of the task.
    public typealias Handler = @Sendable (URLRequest) async throws -> (HTTPURLResponse, Data)

    /// The seed's spelling: answers what comes from no ``Scope``. It is one for the process, so tests that set it must not run at the same
    /// time (`@Suite(.serialized)`, and in one suite only): rather use ``scope(_:)``.
    public static var requestHandler: Handler? {
        get { common.withLock { $0 } }
        set { common.withLock { $0 = newValue } }
    }

    private static let common = Locked<Handler?>(nil)

    /// Which scope it belongs to; zero for ``requestHandler``.
    var scopeNumber: Int { 0 }

    private let work = Locked<Work>(.idle)

    private enum Work {
        case idle
        case running(Task<Void, Never>)
        /// Answered or stopped: nothing more is said.
        case ended
    }

    // MARK: What URLSession asks

    /// Takes every HTTP request.
    public override class func canInit(with request: URLRequest) -> Bool {
        ["http", "https"].contains(request.url?.scheme?.lowercased())
    }

    /// The request as it is.
    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Reads the body and asks the handler.
    public override func startLoading() {
        let exchange = Exchange(self, request: request)
        let body = UploadedBody(of: task, request: request)
        let work = Task { await exchange.run(body) }
        let isStopped = self.work.withLock { state -> Bool in
            guard case .idle = state else { return true }
            state = .running(work)
            return false
        }
        if isStopped { work.cancel() }
    }

    /// Cancels the handler.
    public override func stopLoading() {
        work.withLock { state in
            if case .running(let task) = state { task.cancel() }
            state = .ended
        }
    }

    /// Whether this is the one time that the client may be told how it ended.
    fileprivate func end() -> Bool {
        work.withLock { state in
            if case .ended = state { return false }
            state = .ended
            return true
        }
    }

    // MARK: What it is answered

    /// A response for a request, for handlers.
    ///
    /// - Throws: ``NetworkError/invalidURL`` for a request without a URL.
    public static func answer(
        _ request: URLRequest, status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()
    ) throws -> (HTTPURLResponse, Data) {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers.dictionary)
        else { throw NetworkError.invalidURL }
        return (response, body)
    }

    fileprivate func finish(_ result: Result<(HTTPURLResponse, Data), any Error>) {
        guard end() else { return }
        switch result {
        case .success(let (response, data)):
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            // In one piece: on Linux, `data(for:)` gives the last one only.
            if !data.isEmpty { client?.urlProtocol(self, didLoad: data) }
            client?.urlProtocolDidFinishLoading(self)
        case .failure(let error):
            client?.urlProtocol(self, didFailWithError: error)
        }
    }
}

/// One request of one protocol object.
///
/// Unchecked, since `URLProtocol` is not Sendable: it is only told how it ended, once, as its lock says.
private struct Exchange: @unchecked Sendable {
    private let owner: MockURLProtocol
    private let request: URLRequest
    private let refusal: NetworkError?

    init(_ owner: MockURLProtocol, request: URLRequest) {
        self.owner = owner
        self.request = request
        #if canImport(Darwin)
            refusal = nil
        #else
            refusal =
                owner.task is URLSessionDownloadTask
                ? .unsupported(
                    "Foundation on Linux has no downloads with a URLProtocol: use a data task or MockServer.")
                : nil
        #endif
    }

    func run(_ body: UploadedBody) async {
        do {
            if let refusal { throw refusal }
            var request = request
            // A scope that is gone is a mistake: its requests are not the business of the handler of the process.
            let scope = MockURLProtocol.Scope.find(owner.scopeNumber)
            let handler = owner.scopeNumber == 0 ? MockURLProtocol.requestHandler : scope?.handler
            let content = try await body.collect()
            request.httpBodyStream = nil
            request.httpBody = content
            scope?.record(request)
            guard let handler else {
                throw NetworkError.unsupported(
                    "MockURLProtocol has no handler for \(request.httpMethod ?? "GET") \(Redactor.standard.text(of: request.url)). "
                        + "Make the session with the configuration of MockURLProtocol.scope { … }, and keep the scope.")
            }
            owner.finish(.success(try await handler(request)))
        } catch {
            owner.finish(.failure(error))
        }
    }
}

extension Redactor {
    fileprivate func text(of url: URL?) -> String { url.map { text(of: $0) } ?? "" }
}
