#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTesting
    @testable import NetTransport

    /// The time to connect of one call, ``RequestOptions/connectTimeout``, and heads that arrive slowly or have no body.
    @Suite(.timeLimit(.minutes(2))) struct CurlTimeoutTests {
        private func context(_ time: TimeInterval?) -> RequestContext { .init { $0.options.connectTimeout = time } }

        /// The transport's is half a minute, or none.
        @Test(arguments: [30, nil] as [TimeInterval?]) func timeoutEndsTheLookUp(_ other: TimeInterval?) async throws {
            let transport = CurlTransport { ($0.timeouts.connect, $0.proxy, $0.resolver) = (other, .none, .hanging) }
            let error = try await transport.expectFailure(
                .connectTimeout, phase: .resolving, of: url("http://a.invalid/"), context: context(0.05))
            #expect(error?.message == "The resolver did not answer within the time to connect.")
        }

        /// A loop may look at its timers, for another exchange, while the name is looked up.
        @Test func endsTLSAfterTheTimersWereLookedAt() async throws {
            // It says nothing.
            let (server, clock) = (try Listener(), SystemClock())
            let url = try url("https://a.test:\(server.port)/")
            try await withLimits([2, 8, 32]) { limit in
                let transport = CurlTransport {
                    ($0.timeouts.connect, $0.proxy) = (limit, .none)
                    $0.resolver = .init(name: "timers") { _, _ in
                        for loop in EventLoopGroup.shared.running ?? [] {
                            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                                loop.perform { loop in
                                    loop.noteDue(loop.now)
                                    // It looks at them before it serves this.
                                    loop.perform { _ in continuation.resume() }
                                }
                            }
                        }
                        return ["127.0.0.1"]
                    }
                }
                let start = clock.uptime
                let error = try await transport.expectFailure(.connectTimeout, of: url)
                #expect(clock.uptime - start < 50, "not the idle timeout")
                return error?.phase == .securing
            }
        }

        @Test(arguments: [60, 0, -1, .nan, .infinity] as [TimeInterval])
        func requestConnectTimeoutOverridesAShorterOne(_ seconds: TimeInterval) async throws {
            let server = try MockServer { _ in .ok }
            let transport = CurlTransport {
                ($0.timeouts.connect, $0.proxy) = (0.05, .none)
                $0.resolver = .init(name: "slow") { _, _ in
                    try await Task.sleep(nanoseconds: 300_000_000)
                    return ["127.0.0.1"]
                }
            }
            let url = try url("a.invalid", server)
            try await transport.expectFailure(.connectTimeout, phase: .resolving, of: url, context: context(nil))
            #expect(try await transport.fetch(url, context: context(seconds)).status == 200)
        }

        @Test func connectTimeoutDoesNotLimitTheResponse() async throws {
            let server = try MockServer { request in
                if request.path == "/slow" { try? await Task.sleep(nanoseconds: 300_000_000) }
                return .ok
            }
            let transport = CurlTransport()
            #expect(try await transport.fetch(server.url("/")).status == 200)
            #expect(try await transport.fetch(server.url("/slow"), context: context(0.1)).status == 200)
            #expect(server.connectionCount == 1)
        }

        @Test func urlSessionRefusesConnectTimeout() async throws {
            let server = try MockServer { _ in .ok }
            let error = try await URLSessionTransport().failure(server.url("/"), context: context(5))
            #expect(isUnsupported(error) && server.requests.isEmpty)
        }

        /// One line of a head, byte by byte, for three times the timeout: libcurl tells of a line only when it is whole.
        @Test func slowHeadWithSteadyBytesIsNotIdle() async throws {
            let line = "X-Slow: " + String(repeating: "a", count: 22)
            let pieces = ["HTTP/1.1 200 OK\r\n"] + line.map { String($0) } + ["\r\nContent-Length: 2\r\n\r\nok"]
            // A transport that waits for the whole line fails with each limit.
            try await withLimits([1, 3, 8]) { limit in
                let server = try HostileListener.serving { link in
                    var reader = HostileRequestReader(link)
                    while reader.head() != nil {
                        for piece in pieces {
                            usleep(UInt32(limit * 50_000))
                            guard link.write(piece.utf8) else { break }
                        }
                    }
                    link.close()
                }
                let transport = CurlTransport { $0.timeouts.idle = limit }
                // The second time over a connection that was used before.
                for streamed in [false, true] {
                    let (status, headers, body) = try await transport.fetch(server.url, streamed: streamed)
                    #expect(status == 200 && body == Data("ok".utf8))
                    #expect(headers["X-Slow"] == String(repeating: "a", count: 22))
                }
                return true
            }
        }

        @Test func stalledHeadIsIdleTimeout() async throws {
            let server = try MockServer { _ in MockResponse.ok.fault(.stall(.inHeaders)) }
            try await withLimits([1, 4, 16]) { limit in
                let transport = CurlTransport { $0.timeouts.idle = limit }
                return try await transport.expectFailure(.idleTimeout, of: server.url)?.phase == .receivingHead
            }
        }

        /// 205 has no body, whatever it says (RFC 9110, section 15.3.6).
        @Test(
            arguments: ["", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 0\r\n"],
            [true, false])
        func resetContentHasNoBody(_ field: String, streamed: Bool) async throws {
            let body = field.contains("5") ? "hello" : field.contains("chunked") ? "5\r\nhello\r\n0\r\n\r\n" : ""
            let reply = MockResponse.raw("HTTP/1.1 205 Reset Content\r\n\(field)X: y\r\n\r\n\(body)")
            let server = try MockServer { _ in reply.closingConnection(false) }
            let transport = CurlTransport { $0.timeouts.idle = 30 }
            for _ in 0..<2 {
                let (status, headers, body) = try await transport.fetch(server.url, streamed: streamed)
                #expect(status == 205 && headers["X"] == "y" && body.isEmpty)
            }
        }
    }

    /// A server that refuses `Expect` with a response whose body comes late (RFC 9110, section 10.1.1).
    @Suite(.timeLimit(.minutes(5))) struct RefusedExpectationTests {
        /// - Parameter continues: whether the server asks for the body before it refuses.
        private func server(
            continues: Bool, _ body: Locked<[UInt8]>, refusals: Locked<Int> = Locked(0)
        ) throws -> HostileListener {
            let listener = try HostileListener()
            // The client may send the request again before it closes the first connection.
            for _ in 0..<2 {
                Thread {
                    while let link = listener.accept() {
                        Self.serve(link, continues, body, refusals)
                        link.close()
                    }
                }.start()
            }
            return listener
        }

        private static func serve(
            _ link: HostileLink, _ continues: Bool, _ body: Locked<[UInt8]>, _ refusals: Locked<Int>
        ) {
            var reader = HostileRequestReader(link)
            while let head = reader.head() {
                guard head.expectsContinue else {
                    let received = reader.body() ?? []
                    body.withLock { $0 = received }
                    _ = link.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
                    continue
                }
                if continues {
                    guard link.write("HTTP/1.1 100 Continue\r\n\r\n".utf8), link.read() != nil else { return }
                }
                refusals.withLock { $0 += 1 }
                guard link.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 4\r\n\r\n".utf8) else { return }
                // Longer than a client waits for `100 Continue`. Everything that is sent before the response ends is taken.
                while link.read(within: 1_500) != nil {}
                _ = link.write("late".utf8)
            }
        }

        private static let bytes = [UInt8](pattern(16 << 20))

        @Test(arguments: [false, true], [false, true])
        func fileIsResentWholeAfter417(continues: Bool, streamed: Bool) async throws {
            let folder = try TemporaryDirectory()
            let file = folder.file("body")
            try Data(Self.bytes).write(to: file)
            let (received, refusals) = (Locked<[UInt8]>([]), Locked(0))
            let server = try server(continues: continues, received, refusals: refusals)
            defer { server.stop() }
            let body = try HTTPBody(file: file)
            #expect(try await CurlTransport().fetch(server.url, "PUT", body: body, streamed: streamed).status == 200)
            #expect(received.withLock { $0 == Self.bytes } && refusals.withLock { $0 } == 1)
        }

        /// Nothing of the stream is taken before it is sent again.
        @Test func streamIsSentWholeAfter417() async throws {
            let bytes = Data(Self.bytes.prefix(1 << 20))
            // The client always waits a second for the refusal. If that comes later, a part of the stream was taken, and the 417 is the response.
            try await withLimits([1, 1, 1, 1, 1]) { _ in
                let received = Locked<[UInt8]>([])
                let server = try server(continues: false, received)
                defer { server.stop() }
                let response = try await CurlTransport().fetch(
                    server.url, "PUT", headers: ["Expect": "100-continue"],
                    body: HTTPBody(stream: dataStream(bytes.pieces(of: 65_536))))
                guard response.status != 417 else { return false }
                #expect(response.status == 200 && received.withLock { Data($0) } == bytes)
                return true
            }
        }
    }
#endif
