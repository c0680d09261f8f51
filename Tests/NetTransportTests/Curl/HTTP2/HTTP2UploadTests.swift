#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Requests that are large, slow or refused.
    @Suite(.timeLimit(.minutes(2)), .requires(.openssl)) struct HTTP2UploadTests {
        private let lab: HTTP2Lab
        private var transport: CurlTransport { lab.transport }

        init() async throws { lab = try await HTTP2Lab() }

        /// Bodies of each kind. Most are larger than the window of the stream.
        @Test(arguments: [
            (1, 3_000), (7, 3_000), (100, 200_000), (1_000, 0), (1_000, 1), (1_000, 65_535), (1_000, 65_536),
            (1_000, 1_000_000), (16_384, 200_000), (65_535, 10_000), (65_535, 200_000),
        ]) func bodyOfEachKindArrivesThroughTheWindow(_ window: Int, size: Int) async throws {
            let lab = try await HTTP2Lab(MockHTTP2Settings(window: window))
            let (data, folder) = (MockResponse.generatedBytes(count: size), try TemporaryDirectory())
            try data.write(to: folder.file("body"))
            let halves = [HTTPBody(data.prefix(size / 2)), HTTPBody(data.dropFirst(size / 2))]
            let joined = HTTPBody(source: .data(Data()), length: Int64(size), isReplayable: true, pieces: halves)
            let bodies: [(body: HTTPBody, isDeclared: Bool)] = [
                (HTTPBody(data), true), (try HTTPBody(file: folder.file("body")), true),
                (HTTPBody(stream: dataStream(data.pieces(of: 30_000))), false),
                (HTTPBody(stream: dataStream([data])), false),
                (HTTPBody(stream: dataStream(data.pieces(of: 30_000)), length: Int64(size)), true), (joined, true),
            ]
            // Pieces of a body are not empty.
            for (number, (body, isDeclared)) in bodies.prefix(size == 0 ? 5 : 6).enumerated() {
                #expect(try await lab.transport.fetch(lab.server.url("/\(number)"), "PUT", body: body).status == 200)
                let seen = try #require(lab.server.requests.last)
                #expect(seen.body == data && seen.isBodyComplete, "\(number)")
                let length = seen.headers["Content-Length"]
                #expect(length == (isDeclared ? "\(size)" : size == 0 ? length : nil), "\(number)")
            }
            #expect(lab.server.http2Connections.count == 1 && lab.server.http2Connections[0].resets == [])
        }

        @Test(arguments: [30_000, 70_000, 200_000]) func largeRequestHeadIsSent(_ size: Int) async throws {
            let headers = ["X-Large": String(repeating: "x", count: size)]
            #expect(try await transport.fetch(lab.server.url, headers: headers).status == 200)
            #expect(lab.server.requests.last?.headers["X-Large"]?.utf8.count == size)
        }

        @Test(arguments: ["a ", "a\t", "\ta", " a", "a  "]) func headerValueIsTrimmed(_ value: String) async throws {
            _ = try await transport.fetch(lab.server.url, headers: ["X-Space": value])
            #expect(lab.server.requests.last?.headers["X-Space"] == "a")
        }

        /// A refusal behind `Expect: 100-continue` whose own body is slow.
        @Test func bodyIsNotSentAfterRefusedExpectation() async throws {
            lab.server.on("/", .bytes(count: 1000).status(413).throttled(bytesPerSecond: 500).beforeRequestBody())
            // After a second without an answer the body is sent, and a busy server may take as long.
            for attempt in 1...5 {
                let sent = Locked(Int64(0))
                var context = RequestContext()
                context.progress = { progress in sent.withLock { $0 = max($0, progress.bytesSent) } }
                let response = try await transport.response(
                    lab.server.url, "PUT", headers: ["Expect": "100-continue"], body: HTTPBody(Data(count: 10_000)),
                    context: context)
                #expect(response.status == 413)
                let wait = try #require(response.metrics.firstByte) - #require(response.metrics.requestStart)
                if attempt < 5, wait >= 0.9 { continue }
                #expect(sent.withLock { $0 } == 0)
                return
            }
        }
    }
#endif
