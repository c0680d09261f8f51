#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

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
            let body = String(repeating: "x", count: 50_000)
            let server = try DripServer(["HTTP/1.1 200\r\nContent-Length: \(body.count)\r\n\r\n", body], pause: 20)
            let transport = CurlTransport()
            for index in 0..<5 {
                let response = try await transport.response(server.url())
                #expect(response.body.data?.count == body.utf8.count)
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
