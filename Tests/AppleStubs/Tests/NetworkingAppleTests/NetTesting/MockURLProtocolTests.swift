import NetCore
import NetTesting
import Testing

/// Every kind of body is seen, as on Linux; and downloads work, which they do not there.
@Suite(.timeLimit(.minutes(5))) struct MockURLProtocolTests {
    @Test func requestBodiesAreRecorded() async throws {
        let mock = MockURLProtocol.scope { request in
            try MockURLProtocol.answer(request, status: 201, body: request.httpBody ?? Data())
        }
        let session = URLSession(configuration: mock.configuration)
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/users")))
        request.httpMethod = "POST"
        let (uploaded, _) = try await session.upload(for: request, from: Data("by upload".utf8))
        #expect(uploaded == Data("by upload".utf8))
        request.httpBody = Data("as data".utf8)
        let (sent, response) = try await session.data(for: request)
        #expect(sent == Data("as data".utf8) && (response as? HTTPURLResponse)?.statusCode == 201)
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: Data("as a stream".utf8))
        #expect(try await session.data(for: request).0 == Data("as a stream".utf8))
        #expect(mock.requests.count == 3)
    }

    @Test func downloadTasksAreStubbed() async throws {
        let mock = MockURLProtocol.scope { request in try MockURLProtocol.answer(request, body: Data("file".utf8)) }
        let session = URLSession(configuration: mock.configuration)
        let (file, _) = try await session.download(
            for: URLRequest(url: try #require(URL(string: "https://api.example.com/file"))))
        #expect(try Data(contentsOf: file) == Data("file".utf8))
        try FileManager.default.removeItem(at: file)
        let failing = MockURLProtocol.scope { _ in throw URLError(.notConnectedToInternet) }
        let url = try #require(URL(string: "https://api.example.com/users"))
        let error = await #expect(throws: URLError.self) {
            try await URLSession(configuration: failing.configuration).data(from: url)
        }
        #expect(error?.code == .notConnectedToInternet)
    }
}
