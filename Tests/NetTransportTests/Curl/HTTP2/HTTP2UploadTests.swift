#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Requests that are large, slow or refused.
    @Suite(.timeLimit(.minutes(2)), .requires(.openssl)) struct HTTP2UploadTests {
        private let lab: HTTP2Lab
        private let transport: CurlTransport

        init() async throws {
            lab = try await HTTP2Lab()
            transport = lab.transport()
        }

        private static func chunks(_ chunks: [Data]) -> AsyncStream<Data> {
            AsyncStream { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            }
        }

        @Test func anUploadOfUnknownLengthIsNotReset() async throws {
            for _ in 0..<3 {
                let body = HTTPBody(stream: Self.chunks((0..<10).map { Data(repeating: $0, count: 1000) }))
                #expect(try await transport.fetch(lab.server.url, "POST", body: body).status == 200)
            }
            #expect(lab.server.requests.allSatisfy { $0.bodyLength == 10_000 && $0.isBodyComplete })
            #expect(try await transport.fetch(lab.server.url("/")).status == 200)
            #expect(lab.server.http2Connections[0].resets == [])
        }

        @Test(arguments: [1, 7, 100, 16_384, 65_535]) func smallWindows(_ window: Int) async throws {
            let lab = try await HTTP2Lab(MockHTTP2Settings(window: window))
            let transport = lab.transport()
            let size = window < 100 ? 3_000 : 200_000
            let data = MockResponse.generatedBytes(count: size)
            let folder = try TemporaryDirectory()
            let file = folder.file("body")
            try data.write(to: file)
            let bodies: [HTTPBody] = [
                HTTPBody(data), try HTTPBody(file: file),
                HTTPBody(stream: Self.chunks([data])), HTTPBody(stream: Self.chunks([data]), length: Int64(size)),
                HTTPBody(
                    source: .data(Data()), length: Int64(size), isReplayable: true,
                    pieces: [HTTPBody(data.prefix(size / 2)), HTTPBody(data.dropFirst(size / 2))]),
            ]
            for (number, body) in bodies.enumerated() {
                #expect(try await transport.fetch(lab.server.url("/\(number)"), "POST", body: body).status == 200)
                #expect(lab.server.requests.last?.body == data, "\(number)")
            }
            #expect(lab.server.http2Connections.count == 1)
            #expect(lab.server.http2Connections[0].resets == [])
        }

        @Test(arguments: [30_000, 70_000, 200_000]) func aLargeRequestHead(_ size: Int) async throws {
            let headers = ["X-Large": String(repeating: "x", count: size)]
            #expect(try await transport.fetch(lab.server.url, headers: headers).status == 200)
            #expect(lab.server.requests.last?.headers["X-Large"]?.utf8.count == size)
        }

        @Test(arguments: ["a ", "a\t", "\ta", " a", "a  "]) func whiteSpaceAroundAValue(_ value: String) async throws {
            _ = try await transport.fetch(lab.server.url, headers: ["X-Space": value])
            #expect(lab.server.requests.last?.headers["X-Space"] == "a")
        }

        /// A refusal behind `Expect: 100-continue` whose own body is slow.
        @Test func aRefusedBodyIsNotSentLater() async throws {
            lab.server.on(
                "/", MockResponse.bytes(count: 1000).status(413).throttled(bytesPerSecond: 500).beforeRequestBody())
            let sent = Locked(Int64(0))
            var context = RequestContext()
            context.progress = { progress in sent.withLock { $0 = max($0, progress.bytesSent) } }
            let response = try await transport.fetch(
                lab.server.url, "PUT", headers: ["Expect": "100-continue"], body: HTTPBody(Data(count: 10_000)),
                context: context)
            #expect(response.status == 413)
            #expect(sent.withLock { $0 } == 0)
        }
    }
#endif
