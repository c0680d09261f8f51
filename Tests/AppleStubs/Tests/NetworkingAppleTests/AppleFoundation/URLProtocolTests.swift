import AppleFoundation
import NetCore
import Testing

/// Answers with what it was sent.
private final class Echo: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "echo" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        if url.host == "fail" {
            client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet))
            return
        }
        guard url.host != "never" else { return }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        if let stream = request.httpBodyStream {
            stream.open()
            var buffer = [UInt8](repeating: 0, count: 4)
            while case let count = stream.read(&buffer, maxLength: 4), count > 0 {
                client?.urlProtocol(self, didLoad: Data(buffer[..<count]))
            }
        }
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

@Suite(.timeLimit(.minutes(5))) struct URLProtocolTests {
    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Echo.self]
        session = URLSession(configuration: configuration)
    }

    private func request(_ text: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.httpMethod = "POST"
        return request
    }

    @Test func aBodyIsAStreamAndEveryChunkComesBack() async throws {
        let (data, _) = try await session.upload(for: request("echo://here"), from: Data("a longer body".utf8))
        #expect(String(decoding: data, as: UTF8.self) == "a longer body")
        var withBody = try request("echo://here")
        withBody.httpBody = Data("its own".utf8)
        #expect(String(decoding: try await session.data(for: withBody).0, as: UTF8.self) == "its own")
    }

    @Test func downloadsToo() async throws {
        var withBody = try request("echo://here")
        withBody.httpBody = Data("a file".utf8)
        let (file, _) = try await session.download(for: withBody)
        #expect(try String(contentsOf: file, encoding: .utf8) == "a file")
        try FileManager.default.removeItem(at: file)
    }

    @Test func itsErrorIsTheTasks() async throws {
        let request = try request("echo://fail")
        let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
        #expect(error?.code == .notConnectedToInternet)
    }

    @Test func cancellingStopsIt() async throws {
        let task = Task { try await session.data(for: request("echo://never")) }
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
