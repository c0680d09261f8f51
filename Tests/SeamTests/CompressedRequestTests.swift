import NetTesting
import Networking
import TestLab
import Testing

@Suite(.timeLimit(.minutes(2))) struct CompressedRequestTests {
    private static let text = String(repeating: "Ada Lovelace, ", count: 1000)

    /// Also if the server gets it at the second attempt.
    @Test(arguments: [false, true]) func compressedPostInvalidates(_ isRefused: Bool) async throws {
        let server = try MockServer { request in
            if isRefused, request.headers["Content-Encoding"] != nil { return .status(415) }
            return .text("ok").header("Cache-Control", "max-age=600")
        }
        let client = NetworkClient(cache: ResponseCache()).with { $0.requestCompression = .gzip }
        var request = URLRequest(url: server.url("/a"))
        for _ in 0..<2 { _ = try await client.response(for: request) }
        #expect(server.requestCount == 1)
        request.httpMethod = "POST"
        let response = try await client.response(for: request, body: HTTPBody(Self.text))
        #expect(response.status == 200 && server.requests.dropFirst().first?.headers["Content-Encoding"] == "gzip")
        request.httpMethod = "GET"
        _ = try await client.response(for: request)
        #expect(server.requests.map(\.method) == (isRefused ? [.get, .post, .post, .get] : [.get, .post, .get]))
    }

    /// The queue keeps the body as the caller gave it, and the client compresses it when it is sent.
    @Test func pendingOperationsAreCompressedWhenTheyAreSent() async throws {
        let server = try MockServer { _ in .text("ok") }
        let folder = try TemporaryDirectory()
        let client = NetworkClient().with { $0.requestCompression = .gzip }
        let queue = try await PendingOperationsQueue(fileURL: folder.file("queue"), client: client)
        var request = URLRequest(url: server.url("/a"))
        request.httpMethod = "POST"
        request.httpBody = Data(Self.text.utf8)
        try await queue.add(request)
        #expect(await queue.processAll().succeeded == 1)
        let sent = try #require(server.requests.first)
        #expect(sent.headers["Content-Encoding"] == "gzip" && sent.decodedBody == Data(Self.text.utf8))
        await queue.close()
    }

    @Test func facadeCompressesUnlessTheCallTurnsItOff() async throws {
        let server = try MockServer { _ in .text("ok") }
        let client = NetworkClient().with { $0.requestCompression = .gzip }
        var config = RequestConfig(url: server.url("/"), method: .post, bodyParameters: ["text": Self.text])
        _ = await Networking(client: client).request(config) as NetworkResponse<Data>
        config.options.requestCompression = .off
        _ = await Networking(client: client).request(config) as NetworkResponse<Data>
        #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", nil])
        #expect(try server.requests.allSatisfy { try $0.json(as: [String: String].self) == ["text": Self.text] })
    }
}
