import NetTesting
import Networking
import TestLab
import Testing

#if os(Linux)
    /// Coded bodies that end too early, through a whole client: an error each time, and nothing kept of them.
    @Suite(.timeLimit(.minutes(5))) struct CodedBodyTests {
        enum Framing: CaseIterable {
            /// The connection closes before the length that was announced.
            case brokenLength
            /// The length is that of what is sent, as from a proxy that lost its own server.
            case length
            case brokenChunk, chunked, close

            func response(_ coded: Data, cut: Int, coding: ContentCoder) -> Data {
                let sent = coded.prefix(cut)
                let (chunked, last) = ("Transfer-Encoding: chunked\r\n\r\n", "\r\n0\r\n\r\n")
                let (start, end) =
                    switch self {
                    case .brokenLength: ("Content-Length: \(coded.count)\r\n\r\n", "")
                    case .length: ("Content-Length: \(cut)\r\n\r\n", "")
                    case .brokenChunk:
                        ("\(chunked)\(String(coded.count, radix: 16))\r\n", cut == coded.count ? last : "")
                    case .chunked: ("\(chunked)\(String(cut, radix: 16))\r\n", last)
                    case .close: ("Connection: close\r\n\r\n", "")
                    }
                let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Encoding: \(coding.rawValue)\r\n"
                return Data((head + start).utf8) + sent + Data(end.utf8)
            }
        }

        private static let text = Data((0..<2_000).map { "row \($0 &* 40_503)\n" }.joined().utf8)
        private let client = NetworkClient(retryPolicy: .none, cache: ResponseCache(maxEntries: 100))

        @Test(arguments: ContentCoder.allCases, Framing.allCases)
        func truncatedCodedBodyIsAnErrorAndIsNotStored(_ coder: ContentCoder, _ framing: Framing) async throws {
            let coded = try coder.encode(Self.text)
            let cut = Locked(0)
            let server = try MockServer { _ in .raw(framing.response(coded, cut: cut.withLock { $0 }, coding: coder)) }
            for count in [coded.count / 100 + 1, coded.count / 2, coded.count * 99 / 100, coded.count - 1] {
                let url = server.url("/cut/\(count)")
                cut.withLock { $0 = count }
                await expectTruncated(url, through: client)
                cut.withLock { $0 = coded.count }
                try await expectNothingIsStored(of: url, in: client, whole: Self.text, server)
            }
        }

        @Test(arguments: ContentCoder.allCases)
        func bodyWithBytesAfterItsEndIsNotStored(_ coder: ContentCoder) async throws {
            let coded = try coder.encode(Self.text) + Data("surplus".utf8)
            let server = try MockServer { _ in
                .data(coded).header("Content-Encoding", coder.rawValue).header("Cache-Control", "max-age=600")
            }
            for _ in 0..<2 {
                #expect(try await client.data(for: URLRequest(url: server.url("/collected"))).0 == Self.text)
                let response = try await client.send(URLRequest(url: server.url("/streamed")))
                #expect(try await response.body.collect(upTo: 1 << 20) == Self.text)
            }
            #expect(server.requests.count == 4)
        }

        /// A 304 says nothing of the bytes that are stored.
        @Test func notModifiedKeepsTheStoredBody() async throws {
            let coded = try ContentCoder.gzip.encode(Self.text)
            let server = try MockServer { request in
                let response = MockResponse.data(coded).header("Content-Encoding", "gzip").header("ETag", "\"1\"")
                    .header("Cache-Control", "max-age=0")
                return request.headers["If-None-Match"] == nil
                    ? response : .status(304).header("ETag", "\"1\"").header("Content-Encoding", "br")
            }
            for _ in 0..<3 {
                let (data, response) = try await client.data(for: URLRequest(url: server.url("/x")))
                #expect(data == Self.text && response.status == 200 && response.headers["Content-Encoding"] == nil)
            }
            #expect(server.requests.count == 3)
        }
    }

    /// Expects the error of a body that is shorter than it should be, through each door.
    func expectTruncated(_ url: URL, through client: NetworkClient) async {
        let doors: [(String, () async throws -> Void)] = [
            ("collected", { _ = try await client.data(for: URLRequest(url: url)) }),
            ("streamed", { for try await _ in try await client.send(URLRequest(url: url)).body {} }),
            ("facade", { try await Networking(client: client).request(url: url) }),
        ]
        for (door, call) in doors {
            let error = await #expect(throws: (any Error).self, "\(url) \(door)") { try await call() }
            var cause = (error as? NetworkFailure)?.underlyingError
            if case .unknown(let embedded) = error as? NetworkError { cause = embedded }
            let code = ((cause ?? error) as? TransportError)?.code
            #expect(code == .truncatedBody, "\(url) \(door): \(String(describing: error))")
        }
    }

    /// Expects that a whole body comes from the server, and then from the cache.
    func expectNothingIsStored(of url: URL, in client: NetworkClient, whole: Data, _ server: MockServer) async throws {
        let before = server.requestCount
        for _ in 0..<2 { #expect(try await client.data(for: URLRequest(url: url)).0 == whole) }
        #expect(server.requestCount == before + 1)
    }
#endif

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
