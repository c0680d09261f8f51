#if os(Linux)
    import CLibcurl
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// Races and turns of the loop that seldom happen by themselves.
    @Suite(.timeLimit(.minutes(2))) struct EngineFaultTests {
        /// The task may be cancelled on another thread between the pool's decision and the loop's start.
        @Test func cancellationBeforeTheStartIsNotLost() async throws {
            let server = try MockServer { _ in MockResponse.ok.fault(.stall(.beforeResponse)) }
            let engine = Engine(TransportConfiguration())
            let exchange = try Self.exchange(server.url("/").absoluteString, engine)
            guard case .starts = engine.pool.submit(exchange, loops: try EventLoopGroup.shared.loops()) else {
                throw LabError("the exchange has to wait")
            }
            engine.cancel(exchange)
            engine.begin([exchange])
            let isLive = await Self.on(try #require(engine.pool.loop(of: exchange))) { _ in exchange.isLive }
            #expect(!isLive)
            await engine.shutdown()
        }

        /// Its connection was closed, and another is being opened, when the signal arrives.
        @Test func cancellationReachesAnExchangeInThePool() async throws {
            let engine = Engine(TransportConfiguration())
            let loop = try #require(EventLoopGroup.shared.loops().first)
            let exchange = try Self.exchange("https://a.invalid/", engine)
            let other = try Self.exchange("https://a.invalid/", engine)
            guard case .starts = engine.pool.submit(exchange, loops: [loop]) else { throw LabError("the first waits") }
            let session = Connection(descriptor: -1, loop: loop, engine: engine)
            exchange.connection = session
            _ = engine.pool.opened(session, for: exchange, isHTTP2: true)
            _ = engine.pool.update(session, capacity: 1)
            guard case .starts = engine.pool.submit(other, loops: [loop]) else { throw LabError("the other waits") }
            engine.pool.remove(session)
            let isCancelled = await Self.on(loop) { loop -> Bool in
                exchange.handle(.start, on: loop)
                exchange.handle(.cancel, on: loop)
                return exchange.answer.failure is CancellationError
            }
            #expect(isCancelled)
            await engine.shutdown()
        }

        /// The signal arrives on the former loop, which has another exchange at the same index.
        @Test(.ownProcess) func cancellationReachesAnExchangeOnAnotherLoop() async {
            await #expect(processExitsWith: .success) {
                let (former, own) = try (EventLoop.start(), EventLoop.start())
                let engine = Engine(TransportConfiguration { ($0.proxy, $0.resolver) = (.none, .hanging) })
                let moved = try Self.exchange("http://a.invalid/", engine)
                let other = try Self.exchange("http://b.invalid/", engine)
                _ = engine.pool.submit(moved, loops: [own])
                _ = engine.pool.submit(other, loops: [former])
                await Self.on(own) { moved.handle(.start, on: $0) }
                let left = await Self.on(former) { loop -> [ObjectIdentifier] in
                    other.handle(.start, on: loop)
                    moved.handle(.cancel, on: loop)
                    return loop.live.map { ObjectIdentifier($0) }
                }
                #expect(left == [ObjectIdentifier(other)])
                #expect(await Self.on(own) { _ in moved.answer.failure is CancellationError })
            }
        }

        private static func exchange(_ url: String, _ engine: Engine) throws -> HTTPExchange {
            let request = URLRequest(url: try NetTransportTests.url(url))
            return try HTTPExchange(request: request, body: nil, context: RequestContext(), engine: engine)
        }

        /// Returns what an action on a loop's thread returns.
        private static func on<Value: Sendable>(
            _ loop: EventLoop, _ action: @escaping @Sendable (EventLoop) -> Value
        ) async -> Value {
            await withCheckedContinuation { (continuation: CheckedContinuation<Value, Never>) in
                loop.perform { continuation.resume(returning: action($0)) }
            }
        }

        /// The last part of a large body fills the buffer to its end, which says nothing about more bytes.
        @Test(arguments: [100_000, 300_000] as [Int64], [false, true])
        func connectionIsReusableWhenTheReaderSeesTheEnd(_ count: Int64, streamed: Bool) async throws {
            let counts = try await atOnce(4) { _ in
                let (server, transport) = (try MockServer { _ in .bytes(count: count) }, CurlTransport())
                for _ in 0..<50 {
                    #expect(try await transport.fetch(server.url("/"), streamed: streamed).body.count == Int(count))
                }
                return server.connectionCount
            }
            #expect(counts == [1, 1, 1, 1])
        }

        @Test func responseAfter100ContinueIsReadBeforeTheReset() async throws {
            let listener = try HostileListener.answering { link in
                Self.holdingLoops {
                    let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 413 X\r\nContent-Length: 100000\r\n\r\n"
                    _ = link.write(Array(head.utf8) + HostileCase.body("t1x", 100_000))
                    link.reset()
                }
            }
            let response = try await CurlTransport().fetch(
                listener.url, "POST", headers: ["Expect": "100-continue"], body: HTTPBody(Data(count: 10_000)))
            #expect(response.status == 413 && response.body == Data(HostileCase.body("t1x", 100_000)))
        }

        /// A request's body that waits for its producer is not an excuse for a server that stops in its refusal.
        @Test func stalledRefusalDuringUploadIsIdleTimeout() async throws {
            let listener = try HostileListener.serving { link in
                var text = ""
                while !text.contains("begin"), let more = link.read() { text += String(decoding: more, as: UTF8.self) }
                _ = link.write("HTTP/1.1 413 X\r\nContent-Length: 10\r\n\r\nhello".utf8)
                while link.read() != nil {}
                link.close()
            }
            let (transport, started) = (CurlTransport { $0.timeouts.idle = 1 }, OnceFlag())
            let body = HTTPBody(pulling: {
                if started.take() { return Data("begin".utf8) }
                try await Task.sleep(nanoseconds: 3_600_000_000_000)
                return nil
            })
            try await transport.expectFailure(.idleTimeout, of: listener.url, "POST", body: body)
        }

        @Test func largeUploadYieldsTheLoop() throws {
            var ends: [Int32] = [0, 0]
            #expect(socketpair(AF_UNIX, SocketConstant.stream, 0, &ends) == 0)
            defer { for end in ends { close(end) } }
            // SO_SNDBUFFORCE, and SO_SNDBUF for a user who must not.
            var size: Int32 = 32 << 20
            for option in [Int32(32), SO_SNDBUF] where setsockopt(ends[0], SOL_SOCKET, option, &size, 4) == 0 { break }
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            let engine = Engine(TransportConfiguration())
            let loop = try #require(try EventLoopGroup.shared.loops().first)
            let connection = Connection(descriptor: ends[0], loop: loop, engine: engine)
            let request = URLRequest(try url("http://127.0.0.1/"), "POST")
            let folder = try TemporaryDirectory()
            let file = folder.file("body")
            try Data(count: 16 << 20).write(to: file)
            for body in [HTTPBody(Data(count: 16 << 20)), try HTTPBody(file: file)] {
                let exchange = try HTTPExchange(request: request, body: body, context: RequestContext(), engine: engine)
                var sender = HTTP1Sender()
                sender.begin(exchange)
                sender.startBody()
                guard case .turnEnds = sender.send(exchange, over: connection, now: nc_clock()) else {
                    Issue.record("all of it was sent in one turn")
                    continue
                }
                #expect(exchange.sentBytes <= 1 << 20, "\(exchange.sentBytes)")
            }
        }

        /// Two tests that each hold a loop would wait for each other.
        private static let holding = Locked(())

        /// Keeps the loops from their work while something is done.
        private static func holdingLoops(_ action: () -> Void) {
            holding.withLock { _ in
                let loops = EventLoopGroup.shared.running ?? []
                let (held, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                for loop in loops {
                    loop.perform { _ in
                        held.signal()
                        free.wait()
                    }
                }
                for _ in loops { held.wait() }
                action()
                for _ in loops { free.signal() }
            }
        }

        /// An exchange that ends within a read lets the next one begin there.
        @Test func exchangeStartedWithinAReadDoesNotReadAgain() async throws {
            let listener = try HostileListener.serving { link in
                var bytes: [UInt8] = []
                // The preface and frames until a HEADERS frame of the stream.
                func receives(_ stream: UInt8) -> Bool {
                    while !Self.hasHeaders(bytes.dropFirst(24), stream) {
                        guard let more = link.read() else { return false }
                        bytes += more
                    }
                    return true
                }
                guard receives(1) else { return link.close() }
                Self.holdingLoops {
                    var answer = Self.frame(4, 0, 0, []) + Self.frame(4, 1, 0, []) + Self.frame(1, 4, 1, [0x88])
                    while answer.count < 64_000 { answer += Self.frame(0, 0, 1, [UInt8](repeating: 0x61, count: 1000)) }
                    let last = 65_536 - answer.count - 9 - 200
                    answer += Self.frame(0, 1, 1, [UInt8](repeating: 0x61, count: last))
                    // A ping has 17 bytes: the buffer of the loop ends within one.
                    for _ in 0..<50 { answer += Self.frame(6, 0, 0, [UInt8](repeating: 0x62, count: 8)) }
                    _ = link.write(answer)
                }
                guard receives(3) else { return link.close() }
                _ = link.write(Self.frame(1, 5, 3, [0x88]))
                while link.read() != nil {}
                link.close()
            }
            let transport = CurlTransport {
                ($0.httpVersions, $0.limits.concurrentExchanges) = (.http2PriorKnowledge, 1)
            }
            let bodies = try await atOnce(2) { _ in try await transport.fetch(listener.url).body.count }.sorted()
            #expect(bodies[0] == 0 && bodies[1] > 64_000)
        }

        private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
            let length = withUnsafeBytes(of: UInt32(payload.count).bigEndian) { Array($0.dropFirst()) }
            return length + [type, flags, 0, 0, 0, stream] + payload
        }

        private static func hasHeaders(_ bytes: ArraySlice<UInt8>, _ stream: UInt8) -> Bool {
            var rest = bytes
            while rest.count >= 9 {
                let start = rest.startIndex
                let length = Int(rest[start]) << 16 | Int(rest[start + 1]) << 8 | Int(rest[start + 2])
                if rest[start + 3] == 1, rest[start + 8] == stream { return true }
                rest = rest.dropFirst(9 + length)
            }
            return false
        }
    }
#endif
