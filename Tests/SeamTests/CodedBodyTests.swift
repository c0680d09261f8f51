#if os(Linux)
    import NetTesting
    import Networking
    import TestLab
    import Testing

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
            let facade = Networking(client: client)
            for count in [coded.count / 100 + 1, coded.count / 2, coded.count * 99 / 100, coded.count - 1] {
                let url = server.url("/cut/\(count)")
                cut.withLock { $0 = count }
                try await expectTruncated("\(count) collected") { _ = try await client.data(for: URLRequest(url: url)) }
                try await expectTruncated("\(count) streamed") {
                    for try await _ in try await client.send(URLRequest(url: url)).body {}
                }
                try await expectTruncated("\(count) facade") { try await facade.request(url: url) }
                // None of them was kept: the whole body comes from the server, and then from the cache.
                cut.withLock { $0 = coded.count }
                let before = server.requests.count
                for _ in 0..<2 { #expect(try await client.data(for: URLRequest(url: url)).0 == Self.text) }
                #expect(server.requests.count == before + 1)
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

    /// Expects the error of a body that is shorter than it should be.
    func expectTruncated(_ what: String, _ work: () async throws -> Void) async throws {
        do {
            try await work()
            Issue.record("\(what): no error")
        } catch {
            var cause = (error as? NetworkFailure)?.underlyingError
            if case .unknown(let embedded) = error as? NetworkError { cause = embedded }
            #expect(((cause ?? error) as? TransportError)?.code == .truncatedBody, "\(what): \(error)")
        }
    }
#endif
