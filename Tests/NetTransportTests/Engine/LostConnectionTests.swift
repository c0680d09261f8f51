#if os(Linux)
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// Connections that are lost or closed, and which connection the next request gets.
    @Suite(.timeLimit(.minutes(2))) struct LostConnectionTests {
        /// The server says nothing more on the open connection.
        @Test(.requires(.openssl)) func silentHTTP2ConnectionIsReplacedAfterIdleTimeout() async throws {
            let lab = try await HTTP2Lab()
            let (url, transport) = (lab.server.url, lab.transport())
            #expect(try await transport.fetch(url).status == 200)
            lab.server.enqueue(MockResponse.ok.fault(.stall(.beforeResponse)))
            try await expectTimeout(url, over: transport)
            #expect(try await transport.fetch(url).status == 200 && lab.server.connectionCount == 2)
            // The silent connection is closed when it has not answered.
            try await waitUntil("one connection is left") {
                transport.connectionStatistics()?.first?.openConnections == 1 ? () : nil
            }
        }

        /// The timeout is longer than the silence after which a server is asked.
        private func expectTimeout(_ url: URL, over transport: CurlTransport) async throws {
            let request = URLRequest(url: url, timeoutInterval: 1.5)
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(request, body: nil, context: RequestContext())
            }
            #expect(error?.code == .idleTimeout)
        }

        /// One stream is slow.
        @Test(.requires(.openssl)) func answeredPingKeepsTheConnection() async throws {
            let lab = try await HTTP2Lab()
            lab.server.on("/slow", .text("ok").delayed(by: 60))
            let transport = lab.transport()
            #expect(try await transport.fetch(lab.server.url("/")).status == 200)
            try await expectTimeout(lab.server.url("/slow"), over: transport)
            // A request before the answer is read uses another connection. This one has room again then.
            var tries = 0
            repeat {
                try await Task.sleep(nanoseconds: 20_000_000)
                #expect(try await transport.fetch(lab.server.url("/")).status == 200)
                tries += 1
            } while lab.server.requests.last?.connection != 1 && tries < 500
            #expect(lab.server.requests.last?.connection == 1)
        }

        /// The server is silent since its stream is full.
        @Test(.requires(.openssl)) func cancellingAnUnreadStreamKeepsTheConnection() async throws {
            // If the server pauses before the stream is full, the client asks it, as it should.
            try await withLimits([1.5, 4, 12]) { limit in
                let lab = try await HTTP2Lab()
                lab.server.on("/large", .bytes(count: 50_000_000))
                let transport = lab.transport()
                var response: TransportResponse? = try await transport.stream(lab.server.url("/large"))
                try await SystemClock().sleep(for: limit)
                #expect(response?.status == 200)
                response = nil
                try await lab.server.waitForHTTP2 { $0.first?.resets.map(\.code) == [.cancel] }
                #expect(try await transport.fetch(lab.server.url("/")).status == 200)
                return lab.server.connectionCount == 1 && lab.server.http2Connections.first?.pings == 0
            }
        }

        /// The tunnel of a proxy, and the first connection of an unknown server, are not for requests.
        @Test func refusedUpgradeClosesItsConnection() async throws {
            let server = try MockServer { _ in .text("ok") }
            server.on("/socket", .status(403))
            let (transport, request) = (CurlTransport(), URLRequest.webSocket(server.url("/socket")))
            #expect(try await transport.upgrade(request, context: RequestContext()).status == 403)
            #expect(try await transport.fetch(server.url("/")).status == 200 && server.connectionCount == 2)
        }

        /// The upload, which the server does not read, meets the reset while the reader of the response is slow.
        @Test func responseIsReadToItsEndAfterAResetUpload() async throws {
            let (steps, ended) = AsyncStream.makeStream(of: Void.self)
            let listener = try HostileListener.answering { link in
                defer { ended.finish() }
                Self.sendMoreThanIsRead("HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n", over: link)
                link.reset()
                Self.passTurn()
            }
            let transport = CurlTransport { $0.limits.streamBufferBytes = 1 }
            let response = try await transport.response(
                listener.url, "POST", body: HTTPBody(pulling: { Data(count: 65_536) }), streamed: true)
            for await _ in steps {}
            #expect(try await response.body.collect(upTo: 1 << 20).count == 30_000)
        }

        /// A peer may say why it closes the connection, while this side sends to it.
        @Test func upgradedConnectionIsReadToItsEndAfterAFailedSend() async throws {
            let (steps, ended) = AsyncStream.makeStream(of: Void.self)
            let listener = try HostileListener.answering { link in
                defer { ended.finish() }
                _ = link.write("HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n".utf8)
                link.waitUntilDelivered()
                Self.passTurn()
                Self.sendMoreThanIsRead("", over: link)
                link.close()
            }
            let request = URLRequest(listener.url, headers: ["Connection": "Upgrade", "Upgrade": "x"])
            let transport = CurlTransport { $0.limits.streamBufferBytes = 1 }
            let response = try await transport.upgrade(request, context: RequestContext())
            guard case .bytes(let channel)? = response.pipeline.upgraded else { throw LabError("not upgraded") }
            for await _ in steps {}
            // The server's system answers the first one with a reset.
            while (try? await channel.send(Data(count: 1))) != nil {}
            var count = 0
            while count < 30_000, let bytes = try await channel.receive() { count += bytes.count }
            #expect(count == 30_000)
        }

        /// Sends a head and 30,000 bytes to a client with room for one byte. The others wait in its system.
        private static func sendMoreThanIsRead(_ head: String, over link: HostileLink) {
            _ = link.write((head + "a").utf8)
            link.waitUntilDelivered()
            passTurn()
            _ = link.write([UInt8](repeating: 0x61, count: 29_999))
            link.waitUntilDelivered()
        }

        /// Returns when the loops have served what the system has told by now.
        private static func passTurn() {
            for loop in EventLoopGroup.shared.running ?? [] {
                let passed = DispatchSemaphore(value: 0)
                loop.perform { loop in loop.perform { _ in passed.signal() } }
                passed.wait()
            }
        }

        /// Another thread may have got the number of a closed descriptor.
        @Test func closedConnectionIsNeitherReadNorWritten() async throws {
            let engine = Engine(TransportConfiguration())
            let loop = try #require(EventLoopGroup.shared.loops().first)
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
            let (own, peer) = (ends[0], ends[1])
            defer { close(peer) }
            let (added, moved) = await withCheckedContinuation {
                (continuation: CheckedContinuation<(Int32, [Connection.Moved]), Never>) in
                loop.perform { loop in
                    let connection = Connection(descriptor: own, loop: loop, engine: engine)
                    let added = loop.add(connection)
                    connection.expectMore()
                    connection.close()
                    // Each system call would fail, or reach what has the number by now.
                    let received = connection.receive(into: loop.headBuffer)
                    let sent = [UInt8(ascii: "x")].withUnsafeBytes { connection.send($0) }
                    continuation.resume(returning: (added, [received, sent]))
                }
            }
            #expect(added == 0)
            let isUnasked = moved.allSatisfy { if case .none = $0 { true } else { false } }
            #expect(isUnasked, "the system was asked: \(moved)")
        }
    }
#endif
