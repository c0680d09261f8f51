#if os(Linux)
    import NetClient
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    /// Requests that are large, slow or refused.
    @Suite(.timeLimit(.minutes(2)))
    struct HTTP2UploadTests {
        private static func chunks(_ count: Int, of size: Int) -> AsyncStream<Data> {
            AsyncStream { continuation in
                for number in 0..<count {
                    continuation.yield(Data(repeating: UInt8(truncatingIfNeeded: number), count: size))
                }
                continuation.finish()
            }
        }

        @Test func anUploadOfUnknownLengthIsNotReset() async throws {
            let lab = try await HTTP2Lab()
            let transport = lab.transport()
            for _ in 0..<3 {
                let body = HTTPBody(stream: Self.chunks(10, of: 1000))
                #expect(
                    try await HTTP2Lab.send(HTTP2Lab.request(lab.server.url("/"), "POST"), body, over: transport).status
                        == 200)
            }
            #expect(lab.server.requests.allSatisfy { $0.bodyLength == 10_000 && $0.isBodyComplete })
            #expect(try await transport.fetch(lab.server.url("/")).status == 200)
            #expect(lab.server.http2Connections[0].resets == [])
            await transport.shutdown()
            await lab.server.stop()
        }

        @Test(arguments: [1, 7, 100, 16_384, 65_535]) func smallWindows(_ window: Int) async throws {
            var settings = MockHTTP2Settings()
            settings.initialWindowSize = window
            let lab = try await HTTP2Lab(settings)
            let transport = lab.transport()
            let size = window < 100 ? 3_000 : 200_000
            let data = MockResponse.generatedBytes(count: size)
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("http2-\(UUID()).bin")
            try data.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let bodies: [HTTPBody] = [
                HTTPBody(data), try HTTPBody(file: file),
                HTTPBody(
                    stream: AsyncStream {
                        $0.yield(data); $0.finish()
                    }),
                HTTPBody(
                    stream: AsyncStream {
                        $0.yield(data); $0.finish()
                    }, length: Int64(size)),
                HTTPBody(
                    source: .data(Data()), length: Int64(size), isReplayable: true,
                    pieces: [HTTPBody(data.prefix(size / 2)), HTTPBody(data.dropFirst(size / 2))]),
            ]
            for (number, body) in bodies.enumerated() {
                let response = try await HTTP2Lab.send(
                    HTTP2Lab.request(lab.server.url("/\(number)"), "POST"), body, over: transport)
                #expect(response.status == 200)
                #expect(lab.server.requests.last?.body == data, "\(number)")
            }
            #expect(lab.server.http2Connections.count == 1)
            #expect(lab.server.http2Connections[0].resets == [])
            await transport.shutdown()
            await lab.server.stop()
        }

        @Test(arguments: [30_000, 70_000, 200_000]) func aLargeRequestHead(_ size: Int) async throws {
            let lab = try await HTTP2Lab()
            let transport = lab.transport()
            var request = HTTP2Lab.request(lab.server.url("/"))
            request.setValue(String(repeating: "x", count: size), forHTTPHeaderField: "X-Large")
            let response = try await HTTP2Lab.send(request, over: transport)
            #expect(response.status == 200)
            #expect(lab.server.requests.last?.headers["X-Large"]?.utf8.count == size)
            await transport.shutdown()
            await lab.server.stop()
        }

        @Test(arguments: ["a ", "a\t", "\ta", " a", "a  "]) func whiteSpaceAroundAValue(_ value: String) async throws {
            let lab = try await HTTP2Lab()
            let transport = lab.transport()
            var request = HTTP2Lab.request(lab.server.url("/"))
            request.setValue(value, forHTTPHeaderField: "X-Space")
            _ = try await HTTP2Lab.send(request, over: transport)
            #expect(lab.server.requests.last?.headers["X-Space"] == "a")
            await transport.shutdown()
            await lab.server.stop()
        }

        /// A refusal behind `Expect: 100-continue` whose own body is slow.
        @Test func aRefusedBodyIsNotSentLater() async throws {
            let lab = try await HTTP2Lab()
            lab.server.on(
                "/", MockResponse.bytes(count: 1000).status(413).throttled(bytesPerSecond: 500).beforeRequestBody())
            let transport = lab.transport()
            var request = HTTP2Lab.request(lab.server.url("/"), "PUT")
            request.setValue("100-continue", forHTTPHeaderField: "Expect")
            let sent = Locked(Int64(0))
            var context = RequestContext()
            context.delivery = .collected(limit: 1 << 24)
            context.progress = { progress in sent.withLock { $0 = max($0, progress.bytesSent) } }
            let response = try await transport.send(request, body: HTTPBody(Data(count: 10_000)), context: context)
            #expect(response.status == 413)
            #expect(sent.withLock { $0 } == 0)
            await transport.shutdown()
            await lab.server.stop()
        }
    }
#endif
