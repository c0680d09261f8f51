import NetClient
import NetTesting
import TestLab
import Testing

struct MockURLProtocolTests {
    private struct Item: Codable, Equatable { let id: String, name: String }

    private let url: URL

    init() throws { url = try #require(URL(string: "https://service.invalid/items")) }

    @Test func answersFromItsScope() async throws {
        let mock = MockURLProtocol.scope { request in
            try MockURLProtocol.answer(
                request, status: 201, headers: ["X-Path": request.url?.path ?? ""],
                body: Data(#"{"id":"1","name":"n"}"#.utf8))
        }
        let session = URLSession(configuration: mock.configuration)
        let (data, response) = try await session.data(from: url)
        #expect(try JSONDecoder().decode(Item.self, from: data) == Item(id: "1", name: "n"))
        let head = try #require(response as? HTTPURLResponse)
        #expect((head.statusCode, head.value(forHTTPHeaderField: "X-Path")) == (201, "/items"))
        #expect(mock.requests.map(\.url) == [url])
    }

    /// A hundred sessions at once, each with a handler of its own.
    @Test func scopesDoNotMeet() async throws {
        _ = try await atOnce(100) { number in
            let mock = MockURLProtocol.scope { try MockURLProtocol.answer($0, body: Data("\(number)".utf8)) }
            let session = URLSession(configuration: mock.configuration)
            for _ in 0..<3 {
                let (data, _) = try await session.data(from: url)
                #expect(data == Data("\(number)".utf8))
            }
            #expect(mock.requests.count == 3)
        }
    }

    enum Way: CaseIterable { case body, bodyStream, uploadData, uploadFile, streamedUpload }

    @Test(arguments: Way.allCases) func seesTheBody(_ way: Way) async throws {
        let content = MockResponse.generatedBytes(count: 300_000)
        let mock = MockURLProtocol.scope { request in
            try MockURLProtocol.answer(request, body: request.httpBody ?? Data("none".utf8))
        }
        let delegate = Uploader(content)
        let session = URLSession(configuration: mock.configuration, delegate: delegate, delegateQueue: nil)
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let directory = try TemporaryDirectory()
        try content.write(to: directory.file("content"))
        let task: URLSessionTask
        switch way {
        case .body:
            request.httpBody = content
            task = session.dataTask(with: request)
        case .bodyStream:
            request.httpBodyStream = InputStream(data: content)
            task = session.dataTask(with: request)
        case .uploadData: task = session.uploadTask(with: request, from: content)
        case .uploadFile: task = session.uploadTask(with: request, fromFile: directory.file("content"))
        case .streamedUpload: task = session.uploadTask(withStreamedRequest: request)
        }
        task.resume()
        #expect(try await waitUntil("the task has ended") { delegate.result }.get() == content)
        #expect(mock.requests.map(\.httpBody) == [content])
        session.invalidateAndCancel()
    }

    /// As our own client sends: by upload tasks, and by streams.
    @Test func seesWhatTheClientSends() async throws {
        let mock = MockURLProtocol.scope { try MockURLProtocol.answer($0, body: $0.httpBody ?? Data()) }
        let client = NetworkClient(
            transport: try URLSessionTransport(session: URLSession(configuration: mock.configuration)))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let (data, _) = try await client.data(for: request, body: HTTPBody("in memory"))
        #expect(data == Data("in memory".utf8))
        let parts = AsyncStream<Data> { continuation in
            for part in ["st", "rea", "med"] { continuation.yield(Data(part.utf8)) }
            continuation.finish()
        }
        let (streamed, _) = try await client.data(for: request, body: HTTPBody(stream: parts, length: nil))
        #expect(streamed == Data("streamed".utf8))
    }

    @Test func failsAsTheHandlerDoes() async throws {
        let mock = MockURLProtocol.scope { _ in throw URLError(.notConnectedToInternet) }
        let session = URLSession(configuration: mock.configuration)
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .notConnectedToInternet)
    }

    @Test func saysThatThereIsNoHandler() async throws {
        let url = try #require(URL(string: "https://service.invalid/items?token=secret"))
        var mock: MockURLProtocol.Scope? = MockURLProtocol.scope { try MockURLProtocol.answer($0) }
        let session = URLSession(configuration: try #require(mock?.configuration))
        mock = nil
        let error = await #expect(throws: (any Error).self) { try await session.data(from: url) }
        let text = "\(try #require(error))"
        #expect(text.contains("no handler for GET https://service.invalid/items") && !text.contains("secret"))
    }

    @Test func cancellingTheTaskCancelsTheHandler() async throws {
        let (events, log) = AsyncStream<String>.makeStream()
        let mock = MockURLProtocol.scope { request in
            log.yield("asked")
            do { try await Task.sleep(nanoseconds: 600_000_000_000) } catch { log.yield("cancelled") }
            return try MockURLProtocol.answer(request)
        }
        let session = URLSession(configuration: mock.configuration)
        let task = session.dataTask(with: url)
        task.resume()
        var seen = events.makeAsyncIterator()
        #expect(await seen.next() == "asked")
        task.cancel()
        #expect(await seen.next() == "cancelled")
    }

    #if os(Linux)
        @Test func refusesADownloadOnLinux() async throws {
            let mock = MockURLProtocol.scope { try MockURLProtocol.answer($0, body: Data("x".utf8)) }
            let session = URLSession(configuration: mock.configuration)
            let error = await #expect(throws: (any Error).self) { try await session.download(from: url) }
            #expect("\(try #require(error))".contains("no downloads"))
        }
    #endif

    /// The seed's own example, which is the one that uses the handler of the process.
    @Test func seedExampleWorks() async throws {
        MockURLProtocol.requestHandler = { request in
            let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
            let data = try JSONEncoder().encode(Item(id: "1", name: "test"))
            return (response, data)
        }
        defer { MockURLProtocol.requestHandler = nil }
        let config = URLSessionConfiguration.ephemeral
        config.protocolClasses = [MockURLProtocol.self]
        let session = URLSession(configuration: config)
        let (data, _) = try await session.data(from: url)
        #expect(try JSONDecoder().decode(Item.self, from: data) == Item(id: "1", name: "test"))
    }
}

/// Gives the body when it is asked, and gathers what comes.
private final class Uploader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Unchecked: the lock guards what changes.
    private let content: Data
    private let lock = NSLock()
    private var received = Data()
    private var ending: Result<Data, any Error>?

    init(_ content: Data) { self.content = content }

    var result: Result<Data, any Error>? { lock.withLock { ending } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(InputStream(data: content)) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { received += data }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        lock.withLock { ending = error.map { .failure($0) } ?? .success(received) }
    }
}
