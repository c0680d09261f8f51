#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// What a transport tells its operator of connections and exchanges.
    @Suite(.timeLimit(.minutes(5))) struct ConnectionStatisticsTests {
        /// Holds the server's responses back.
        private let gate = AsyncStream<Void>.makeStream()

        private func holdingServer(_ versions: MockHTTPVersions = .http1Only) throws -> MockServer {
            try MockServer(httpVersions: versions) { [gate] _ in
                for await _ in gate.stream {}
                return .ok
            }
        }

        /// Waits until the transport tells exactly this.
        private func expect(
            _ expected: [ConnectionStatistics], of transport: CurlTransport,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async {
            try? await waitUntil("statistics", within: 30) { transport.connectionStatistics() == expected ? () : nil }
            #expect(transport.connectionStatistics() == expected, sourceLocation: sourceLocation)
        }

        private func statistics(
            _ server: MockServer, open: Int = 0, idle: Int = 0, opening: Int = 0, running: Int = 0, waiting: Int = 0
        ) -> ConnectionStatistics {
            ConnectionStatistics(
                origin: "http://127.0.0.1:\(server.port)", openConnections: open, idleConnections: idle,
                openingConnections: opening, runningExchanges: running, waitingExchanges: waiting)
        }

        private func send(_ count: Int, to server: MockServer, _ transport: CurlTransport) -> [Task<Int, any Error>] {
            (0..<count).map { _ in Task { try await transport.fetch(server.url("/")).status } }
        }

        @Test func runningWaitingAndIdleAreCounted() async throws {
            let (server, transport) = (try holdingServer(), CurlTransport { $0.limits.connectionsPerHost = 2 })
            #expect(transport.connectionStatistics() == [])
            let calls = send(5, to: server, transport)
            await expect([statistics(server, open: 2, running: 2, waiting: 3)], of: transport)
            calls[0].cancel()
            calls[1].cancel()
            gate.continuation.finish()
            for call in calls { _ = await call.result }
            let left = try #require(transport.connectionStatistics()?.first)
            #expect(left.runningExchanges == 0 && left.waitingExchanges == 0 && left.openingConnections == 0)
            #expect(left.openConnections == left.idleConnections && 1...2 ~= left.idleConnections, "\(left)")
            server.closeConnections()
            await expect([], of: transport)
        }

        @Test func exchangesWaitForConcurrentExchangesLimit() async throws {
            let servers = [try holdingServer(), try holdingServer()].sorted { "\($0.port)" < "\($1.port)" }
            let transport = CurlTransport { $0.limits.concurrentExchanges = 2 }
            var calls = send(1, to: servers[0], transport)
            await expect([statistics(servers[0], open: 1, running: 1)], of: transport)
            calls += send(3, to: servers[1], transport)
            let first = statistics(servers[0], open: 1, running: 1)
            await expect([first, statistics(servers[1], open: 1, running: 1, waiting: 2)], of: transport)
            await transport.shutdown()
            for call in calls { _ = await call.result }
            #expect(transport.connectionStatistics() == [])
        }

        @Test func http2StreamsCountAsExchangesOfOneConnection() async throws {
            let server = try holdingServer(.http2Only)
            let transport = CurlTransport { $0.httpVersions = .http2PriorKnowledge }
            let calls = send(5, to: server, transport)
            await expect([statistics(server, open: 1, running: 5)], of: transport)
            gate.continuation.finish()
            for call in calls { #expect(try await call.value == 200) }
            await expect([statistics(server, open: 1, idle: 1)], of: transport)
            await transport.shutdown()
            #expect(transport.connectionStatistics() == [])
        }

        @Test func openingConnectionsAreCounted() async throws {
            let transport = CurlTransport { ($0.resolver, $0.proxy) = (.hanging, .none) }
            let call = Task { try await transport.fetch(url("http://A.test:81/")).status }
            await expect([.init(origin: "http://a.test:81", openingConnections: 1, runningExchanges: 1)], of: transport)
            call.cancel()
            _ = await call.result
            await expect([], of: transport)
        }

        /// The connection of a WebSocket is open, and no exchange runs on it.
        @Test func upgradedConnectionsAreCounted() async throws {
            let (server, transport) = (try MockServer { _ in .webSocket() }, CurlTransport())
            let request = URLRequest.webSocket(server.url)
            for _ in 0..<2 {
                var response: TransportResponse? = try await transport.upgrade(request, context: RequestContext())
                #expect(response?.status == 101)
                #expect(transport.connectionStatistics() == [statistics(server, open: 1)])
                response = nil
                await expect([], of: transport)
            }
            let response = try await transport.upgrade(request, context: RequestContext())
            server.closeConnections()
            if case .bytes(let channel)? = response.pipeline.upgraded { while try await channel.receive() != nil {} }
            await expect([], of: transport)
        }

        @Test func failedConnectionIsNotCounted() async throws {
            let (transport, closed) = (CurlTransport(), try url("http://127.0.0.1:\(freePort())/"))
            for _ in 0..<3 { _ = try await transport.failure(closed) }
            #expect(transport.connectionStatistics() == [])
        }

        @Test func unixSocketOriginIsItsPath() async throws {
            let folder = try TemporaryDirectory()
            let path = folder.file("S.sock").path
            let server = try MockServer(unixSocketPath: path) { _ in .ok }
            let (name, transport) = ("http+unix://" + PercentEncoding.encode(path), CurlTransport())
            #expect(try await transport.fetch(url(name + "/")).status == 200)
            #expect(transport.connectionStatistics() == [.init(origin: name, openConnections: 1, idleConnections: 1)])
            #expect(server.connectionCount == 1)
        }

        @Test func mergedStatisticsAreSummedByOrigin() {
            let one = ConnectionStatistics(origin: "b", openConnections: 1, idleConnections: 2, openingConnections: 3)
            let other = ConnectionStatistics(origin: "b", openConnections: 10, runningExchanges: 4, waitingExchanges: 5)
            let sum = ConnectionStatistics(
                origin: "b", openConnections: 11, idleConnections: 2, openingConnections: 3, runningExchanges: 4,
                waitingExchanges: 5)
            let third = ConnectionStatistics(origin: "a")
            #expect([one, third, other].merged == [third, sum])
        }
    }

    /// How many connections are opened: as many as requests that are sent at the same time, and no more.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ConnectionCountTests {
        /// Several workers for each server send one request after the other.
        private func send(to servers: [MockServer], workers: Int, each: Int, by transport: CurlTransport) async throws {
            let urls = servers.map { $0.url("/") }
            _ = try await atOnce(servers.count * workers) { worker in
                for _ in 0..<each {
                    let status = try await transport.fetch(urls[worker / workers]).status
                    #expect(status == 200)
                }
            }
        }

        @Test(arguments: [(15, 30, 4), (1, 400, 3)])
        func connectionsDoNotExceedConcurrentRequests(_ origins: Int, workers: Int, each: Int) async throws {
            let servers = try (0..<origins).map { _ in try MockServer { _ in .ok } }
            let transport = CurlTransport {
                if origins == 1 { $0.limits.connectionsPerHost = workers }
                // More than are in use: under load, hundreds may be idle for a second, which closes those above the limit.
                $0.limits.idleConnections = origins * workers
            }
            try await send(to: servers, workers: workers, each: each, by: transport)
            let counts = servers.map(\.connectionCount)
            #expect(counts.reduce(0, +) <= origins * workers, "\(counts)")
        }

        /// On a busy machine connections may rest for the second after which those above the limit are closed. Then it is tried again.
        @Test func idleLimitDoesNotLimitBusyConnections() async throws {
            for attempt in 1...5 {
                let arrived = Locked(UInt64(0))
                // Answers 64 requests at a time.
                let server = try MockServer { _ in
                    let last = (arrived.next() + 63) / 64 * 64
                    try await waitUntil("64 requests") { arrived.withLock { $0 } >= last ? () : nil }
                    return .ok
                }
                let transport = CurlTransport { ($0.limits.connectionsPerHost, $0.limits.idleConnections) = (64, 32) }
                let begin = SystemClock().uptime
                try await send(to: [server], workers: 64, each: 5, by: transport)
                let isSlow = SystemClock().uptime - begin >= 1
                if attempt < 5, isSlow { continue }
                // 192 if the limit held for busy ones.
                #expect(
                    isSlow ? server.connectionCount < 128 : server.connectionCount == 64, "\(server.connectionCount)")
                // Those above the limit are closed a second after they became idle.
                try await server.waitForOpenConnections(atMost: 32)
                #expect(server.openConnections == 32)
                return
            }
        }

        /// The last read of a body takes exactly what was to come, so the system was not asked whether there is more.
        @Test func exactlyReadBodyKeepsItsConnection() async throws {
            let pieces = [MockResponse.Piece.pause(0.02), .bytes(Data(count: 50_000))]
            let server = try MockServer { _ in MockResponse(headers: ["Content-Length": "50000"], body: .stream(pieces))
            }
            let transport = CurlTransport()
            for index in 0..<5 {
                let response = try await transport.response(server.url)
                #expect(response.body.data?.count == 50_000)
                #expect(response.metrics.isReusedConnection == (index > 0))
            }
        }

        @Test(.ownProcess) func loopCountIsSetOnce() async {
            await #expect(processExitsWith: .success) {
                for count in [0, 65] { #expect(throws: NetworkError.self) { try CurlTransport.setLoopCount(count) } }
                try CurlTransport.setLoopCount(3)
                let (server, transport) = (try MockServer { _ in .ok }, CurlTransport())
                try await transport.fetchAtOnce(Array(repeating: server.url("/"), count: 30))
                #expect(threads("net.loop") == 3)
                #expect(throws: NetworkError.self) { try CurlTransport.setLoopCount(2) }
                await transport.shutdown()
                try await server.waitForOpenConnections()
            }
        }
    }
#endif
