import NetTesting
import Networking
import Testing

/// Streams of the facade: the head first, and errors that are a `NetworkError`.
@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    private struct Item: Codable, Hashable, Sendable { let id: Int }

    private let server: MockServer
    private let networking = Networking(connectionMonitor: nil)

    init() throws { server = try MockServer() }

    @Test func jsonLinesOfAStream() async throws {
        server.on(.post, "/lines", .chunked(["{\"id\":1}\n{\"id\"", ":2}"]).header("X-Total", "2"))
        let stream = try await networking.stream(
            url: server.url("/lines"), method: .post, queryParameters: ["q": "a"], bodyParameters: ["b": 1],
            headers: ["X-Token": "t"])
        #expect(stream.headers["X-Total"] == "2")
        var items: [Item] = []
        for try await item in stream.jsonLines(of: Item.self) { items.append(item) }
        #expect(items == [Item(id: 1), Item(id: 2)])
        let sent = try #require(server.requests.first)
        #expect(sent.query == "q=a" && sent.bodyText == "{\"b\":1}" && sent.headers["X-Token"] == "t")
    }

    @Test func headArrivesBeforeTheBody() async throws {
        server.on("/slow", .chunked(["one\n", "two\n"], delay: 3600))
        let stream = try await networking.stream(RequestConfig(url: server.url("/slow")))
        #expect(stream.status == 200)
        let task = Task {
            for try await line in stream.lines() {
                #expect(line == "one")
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: NetworkError.cancelled) { try await task.value }
        try await server.waitForOpenConnections()
    }

    @Test func errorsAreNetworkErrors() async throws {
        server.on("/missing", .text("why", status: 404))
        await #expect(throws: NetworkError.requestFailed(statusCode: 404, data: Data("why".utf8))) {
            try await networking.stream(url: server.url("/missing"))
        }
        server.on("/bad", .text("x\n"))
        let stream = try await networking.stream(url: server.url("/bad"))
        let error = await #expect(throws: NetworkError.self) { for try await _ in stream.jsonLines(of: Item.self) {} }
        #expect(error?.kind == .decodingFailed)
        let events = networking.serverSentEvents(url: server.url("/missing"))
        await #expect(throws: NetworkError.requestFailed(statusCode: 404, data: Data("why".utf8))) {
            for try await _ in events {}
        }
        let broken = try await networking.stream(url: server.url("/bad"))
        await #expect(throws: NetworkError.responseTooLarge(limit: 0)) {
            for try await _ in broken.lines(maximumLength: 0) {}
        }
        server.on("/cut", .chunked(["one", "two"]).fault(.truncatedChunkedBody))
        let cut = try await networking.stream(url: server.url("/cut"))
        await #expect(throws: NetworkError.self) { for try await _ in cut.bytes {} }
    }

    @Test func serverSentEventsByPOST() async throws {
        let chunks = ["data: {\"id\":1}\n", "\ndata: {\"id\":2}\n\nda", "ta: [DONE]\n\n"].map { Data($0.utf8) }
        let type: HTTPHeaders = ["Content-Type": "text/event-stream"]
        server.on(
            .post, "/completions", MockResponse(headers: type, body: .stream(chunks.map(MockResponse.Piece.bytes))))
        let events = networking.serverSentEvents(
            url: server.url("/completions"), method: .post, bodyParameters: ["stream": true],
            configuration: .completions)
        var ids: [Int] = []
        for try await item in events.decode(Item.self) { ids.append(item.id) }
        #expect((ids, server.requests.map(\.bodyText)) == ([1, 2], ["{\"stream\":true}"]))
        #expect(server.requests.first?.headers["Accept"] == "text/event-stream")
    }
}
