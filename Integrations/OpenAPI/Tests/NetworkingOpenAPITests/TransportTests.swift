import Foundation
import HTTPTypes
import NetClient
import NetCore
import NetTesting
import NetworkingOpenAPI
import OpenAPIRuntime
import Testing

/// The transport itself, called as a generated client calls it.
@Suite struct TransportTests {
    typealias Body = OpenAPIRuntime.HTTPBody

    private func send(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", body: Body? = nil, to server: MockServer,
        base: String = "", client: NetworkClient = NetworkClient()
    ) async throws -> (HTTPResponse, Body?) {
        try await NetworkClientTransport(client: client).send(
            HTTPRequest(method: method, scheme: nil, authority: nil, path: path), body: body,
            baseURL: try #require(URL(string: "http://127.0.0.1:\(server.port)\(base)")), operationID: "test")
    }

    /// The results are those of swift-openapi-urlsession 1.3.
    @Test(arguments: [
        ("", "/a", "/a"), ("/", "/a", "//a"), ("/v1", "/a", "/v1/a"), ("/v1/", "/a", "/v1//a"),
        ("/v1?x=1", "/a", "/v1/a"),
        ("/v1", "/hello%20world/Maria?greeting=Howdy", "/v1/hello%20world/Maria?greeting=Howdy"),
        ("/a%2Fb", "/c%2Fd?e=%2F%26&f=1+1", "/a%2Fb/c%2Fd?e=%2F%26&f=1+1"), ("/v1", "//example.net/x", "/v1/x"),
        ("/v1", "", "/v1"), ("", "/%C3%BC?q", "/%C3%BC?q"),
    ])
    func joinsURLs(base: String, path: String, target: String) async throws {
        let server = try MockServer()
        server.enqueue(.ok)
        _ = try await send(.get, path, to: server, base: base)
        #expect(try await server.takeRequest().target == target)
        await server.stop()
    }

    @Test func convertsFields() async throws {
        let server = try MockServer()
        server.enqueue(MockResponse.noContent.addingHeader("Set-Cookie", "a=1").addingHeader("Set-Cookie", "b=2"))
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        let repeated = try #require(HTTPField.Name("X-Repeated"))
        request.headerFields[values: repeated] = ["1", "2"]
        request.headerFields[try #require(HTTPField.Name("X-Emoji"))] = "😀"
        let (response, body) = try await NetworkClientTransport()
            .send(request, body: nil, baseURL: server.url, operationID: "test")
        #expect(response.status == .noContent)
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(try await [UInt8](collecting: try #require(body), upTo: 1) == [])
        let recorded = try await server.takeRequest()
        #expect(recorded.headers["X-Repeated"] == "1, 2")
        #expect(recorded.headers["X-Emoji"] == "😀")
        await server.stop()
    }

    @Test func refusesFieldsThatWouldArriveChanged() async throws {
        let server = try MockServer()
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        request.headerFields = HTTPFields([HTTPField(name: .userAgent, value: [0xE9] as [UInt8])])
        let failure = await #expect(throws: NetworkFailure.self) {
            try await NetworkClientTransport().send(request, body: nil, baseURL: server.url, operationID: "test")
        }
        #expect(failure?.cause == .invalidRequest)
        #expect(server.requestCount == 0)
        await server.stop()
    }

    // MARK: Request bodies

    private func chunks(_ count: Int, of size: Int) -> AsyncStream<ArraySlice<UInt8>> {
        AsyncStream { continuation in
            for index in 0..<count { continuation.yield(ArraySlice(repeating: UInt8(index % 251), count: size)) }
            continuation.finish()
        }
    }

    private func bytes(_ count: Int, of size: Int) -> Data {
        Data((0..<count).flatMap { [UInt8](repeating: UInt8($0 % 251), count: size) })
    }

    @Test func streamsABodyOfUnknownLength() async throws {
        let server = try MockServer()
        server.enqueue(.ok)
        _ = try await send(.post, body: Body(chunks(10, of: 30_000), length: .unknown), to: server)
        let request = try await server.takeRequest()
        #expect(request.headers["Transfer-Encoding"] == "chunked")
        #expect(request.body == bytes(10, of: 30_000))
        await server.stop()
    }

    @Test func streamsABodyOfKnownLength() async throws {
        let server = try MockServer()
        server.enqueue(.ok)
        _ = try await send(.post, body: Body(chunks(10, of: 30_000), length: .known(300_000)), to: server)
        let request = try await server.takeRequest()
        #expect(request.headers["Content-Length"] == "300000")
        #expect(request.body == bytes(10, of: 30_000))
        await server.stop()
    }

    /// Small bodies are collected, large ones streamed.
    @Test(arguments: [1, 10])
    func replaysABodyThatCanBeIteratedRepeatedly(count: Int) async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/new", status: 307), .status(503), .ok)
        let list = (0..<count).map { ArraySlice(repeating: UInt8($0 % 251), count: 30_000) }
        let body = Body(AsyncChunks(list), length: .known(Int64(30_000 * count)), iterationBehavior: .multiple)
        let client = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 1, delay: .immediate))
        let (response, _) = try await send(.put, "/old", body: body, to: server, client: client)
        #expect(response.status == .ok)
        #expect(server.requests.map(\.path) == ["/old", "/new", "/new"])
        for request in server.requests { #expect(request.body == bytes(count, of: 30_000)) }
        await server.stop()
    }

    @Test func doesNotReplayABodyThatCanBeIteratedOnce() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/new", status: 307), .ok)
        let failure = await #expect(throws: NetworkFailure.self) {
            try await send(.put, "/old", body: Body(chunks(1, of: 10), length: .known(10)), to: server)
        }
        #expect(failure?.cause == .bodyNotReplayable)
        #expect(server.requestCount == 1)
        await server.stop()
    }

    @Test(arguments: [IterationBehavior.single, .multiple], [Int64(9), 11])
    func failsIfTheBodyHasAnotherLength(behavior: IterationBehavior, length: Int64) async throws {
        let server = try MockServer()
        server.on("/", .ok)
        let chunks = AsyncChunks([ArraySlice(repeating: 1, count: 10)])
        let failure = await #expect(throws: NetworkFailure.self) {
            let body = Body(chunks, length: .known(length), iterationBehavior: behavior)
            return try await send(.post, body: body, to: server)
        }
        #expect(failure?.transportError?.code == .requestBodyFailed)
        await server.stop()
    }

    /// The server reads nothing, so the sequence is asked only for what fits in buffers.
    @Test func requestBodyHasBackPressure() async throws {
        let server = try MockServer()
        server.enqueue(.fault(.stall(.inRequestBody)))
        let chunks = CountedChunks(count: 4_096, size: 256 << 10)
        let task = Task {
            try await send(.post, body: Body(chunks, length: .unknown, iterationBehavior: .single), to: server)
        }
        try await chunks.waitUntilIdle()
        #expect((1..<512).contains(chunks.produced))
        task.cancel()
        let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect(failure?.isCancellation == true)
        await server.stop()
    }

    // MARK: Response bodies

    @Test func streamsTheResponse() async throws {
        let server = try MockServer()
        server.enqueue(MockResponse(body: .stream([.bytes(Data("first".utf8)), .hold])))
        // The response does not end. When it is released, the connection is closed.
        func start() async throws -> [UInt8] {
            let (_, body) = try await send(to: server)
            #expect(body?.length == .unknown)
            #expect(body?.iterationBehavior == .single)
            var iterator = try #require(body).makeAsyncIterator()
            return Array(try await iterator.next() ?? [])
        }
        #expect(try await start() == Array("first".utf8))
        try await server.waitForOpenConnections()
        await server.stop()
    }

    @Test func releasingAResponseUnreadFreesTheConnection() async throws {
        let server = try MockServer()
        server.enqueue(.bytes(count: 1 << 40))
        var configuration = NetworkClient.Configuration()
        configuration.transportConfiguration.limits.connectionsPerHost = 1
        let client = NetworkClient(configuration: configuration)
        func head() async throws -> HTTPResponse { try await send(to: server, client: client).0 }
        #expect(try await head().status == .ok)
        // With one connection for each host, a response that was not released would block this one forever.
        server.enqueue(.text("second"))
        let (_, body) = try await send(to: server, client: client)
        #expect(try await String(collecting: try #require(body), upTo: 100) == "second")
        await server.stop()
    }

    @Test func knowsTheLengthOfTheResponse() async throws {
        let server = try MockServer()
        server.enqueue(.text("12345"), .chunked(["1", "2"]))
        #expect(try await send(to: server).1?.length == .known(5))
        let (_, body) = try await send(to: server)
        #expect(try await String(collecting: try #require(body), upTo: 100) == "12")
        await server.stop()
    }

    @Test func cancellationEndsTheCall() async throws {
        let server = try MockServer()
        server.enqueue(.fault(.stall(.beforeResponse)))
        let task = Task { try await send(to: server) }
        _ = try await server.takeRequest()
        task.cancel()
        let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect(failure?.isCancellation == true)
        try await server.waitForOpenConnections()
        await server.stop()
    }
}
