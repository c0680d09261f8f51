public import NetCore

/// Answers the requests of a `URLSession` without a network, for code that needs a `URLSession`, or a client on one.
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
/// Handlers find the body in `httpBody`, be it data, a file, or a stream, which is read to its end first. Redirects are not followed.
///
/// On Linux, a download task gets an error, since Foundation would end the process. ``MockServer`` supports all tasks and faults of sockets.
public class MockURLProtocol: URLProtocol {
    /// Answers a request, whose body is in `httpBody`. The task fails with its errors.
    public typealias Handler = @Sendable (URLRequest) async throws -> (HTTPURLResponse, Data)

    /// Answers the requests without a ``Scope``. All tests of the process share it, so tests that set it must not run at the same time
    /// (`@Suite(.serialized)`, and in one suite only). Prefer ``scope(_:)``.
    public static var requestHandler: Handler? {
        get { common.withLock { $0 } }
        set { common.withLock { $0 = newValue } }
    }

    private static let common = Locked<Handler?>(nil)

    private let work = Locked<Work>(.idle)

    private enum Work {
        case idle
        case running(Task<Void, Never>)
        /// Answered or stopped.
        case ended
    }

    /// Accepts every HTTP request.
    public override class func canInit(with request: URLRequest) -> Bool {
        ["http", "https"].contains(request.url?.scheme?.lowercased())
    }

    /// Returns the request as it is.
    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Reads the body and calls the handler.
    public override func startLoading() {
        let body = UploadedBody(of: task, request: request)
        let isDownload = task is URLSessionDownloadTask
        // Unchecked, since `URLProtocol` is not Sendable. It is only called once, to finish.
        let owner = UncheckedSendable(self)
        let work = Task { await owner.value.answer(body, isDownload: isDownload) }
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

    /// Returns true for the first call, after which the client must not be called again.
    private func end() -> Bool {
        work.withLock { state in
            if case .ended = state { return false }
            state = .ended
            return true
        }
    }

    /// Returns a response to a request, for handlers.
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

    private func answer(_ body: UploadedBody, isDownload: Bool) async {
        do {
            #if !canImport(Darwin)
                if isDownload {
                    throw NetworkError.unsupported(
                        "Foundation on Linux has no downloads with a URLProtocol: use a data task or MockServer.")
                }
            #endif
            // If the scope is gone, the request fails: the handler of the process must not answer it.
            let scope = Scope.find(type(of: self))
            let handler = type(of: self) == MockURLProtocol.self ? Self.requestHandler : scope?.handler
            var request = request
            let content = try await body.collect()
            request.httpBodyStream = nil
            request.httpBody = content
            scope?.record(request)
            guard let handler else {
                let url = request.url.map { Redactor.standard.text(of: $0) } ?? ""
                throw NetworkError.unsupported(
                    "MockURLProtocol has no handler for \(request.httpMethod ?? "GET") \(url). "
                        + "Make the session with the configuration of MockURLProtocol.scope { … }, and keep the scope.")
            }
            let (response, data) = try await handler(request)
            guard end() else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            // In one piece, since `data(for:)` on Linux returns the last piece only.
            if !data.isEmpty { client?.urlProtocol(self, didLoad: data) }
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            if end() { client?.urlProtocol(self, didFailWithError: error) }
        }
    }
}
