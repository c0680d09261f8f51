#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// The threads of transports, which those without exchanges share.
    // Serialised, since each test in a process of its own blocks a thread of this one's pool meanwhile.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct CurlThreadTests {
        @Test(.ownProcess) func transportsShareThreads() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let (server, transports) = (try MockServer { _ in .ok }, (0..<60).map { _ in CurlTransport() })
                for transport in transports { #expect(try await transport.fetch(server.url).status == 200) }
                #expect((1...8).contains(threads("net.loop")), "\(threads("net.loop"))")
                _ = try await waitUntil("nothing is opened") { threads("net.connect") == 0 ? true : nil }
                #expect(server.openConnections == 60, "\(server.openConnections)")
                // Each is still served.
                let statuses = try await atOnce(60) { try await transports[$0].fetch(server.url).status }
                #expect(statuses.allSatisfy { $0 == 200 })
                #expect(server.connectionCount == 60, "\(server.connectionCount)")
                #expect(threads("net.connect") == 0)
                // Ending some of them leaves the others.
                for transport in transports.prefix(30) { await transport.shutdown() }
                let rest = transports.dropFirst(30)
                for transport in rest { #expect(try await transport.fetch(server.url).status == 200) }
                try await server.waitForOpenConnections(atMost: 30)
                // A connection that the server closes is closed here, too.
                server.closeConnections()
                try await server.waitForOpenConnections()
                try await Task.sleep(for: .milliseconds(100))
                for transport in rest { #expect(try await transport.fetch(server.url).status == 200) }
                for transport in transports { await transport.shutdown() }
                try await server.waitForOpenConnections()
                // A new one is served by the same threads.
                let late = CurlTransport()
                #expect(try await late.fetch(server.url("/")).status == 200)
                #expect((1...8).contains(threads("net.loop")), "\(threads("net.loop"))")
            }
        }

        @Test func sharedLoopKeepsTheTimeoutsOfAllTransports() async throws {
            let server = try MockServer { $0.path == "/slow" ? MockResponse.ok.fault(.stall(.beforeResponse)) : .ok }
            _ = try await atOnce(16) { index in
                let (transport, context) = (CurlTransport(), RequestContext.due(in: 0.1 + Double(index % 4) / 10))
                try await transport.expectFailure(.totalTimeout, of: server.url("/slow"), context: context)
                #expect(try await transport.fetch(server.url("/")).status == 200)
            }
        }

        /// Transports come and go while others work, so that loops arrive at threads that are about to end.
        @Test func transportsStartAndShutDownAtAnyMoment() async throws {
            let server = try MockServer { _ in .bytes(count: 10_000) }
            _ = try await atOnce(16) { seed in
                for number in seed..<(seed + 25) {
                    let transport = CurlTransport()
                    let response = try await transport.fetch(server.url("/"), streamed: number.isMultiple(of: 2))
                    #expect(response.body.count == 10_000)
                    switch number % 3 {
                    case 0: await transport.shutdown()
                    case 1:
                        let task = Task { try await transport.fetch(server.url("/")) }
                        await transport.shutdown()
                        _ = try? await task.value
                    default: break
                    }
                }
            }
            try await server.waitForOpenConnections()
        }

        /// A trust policy is the user's code. One that waits for another transport must not wait for itself.
        @Test func trustPolicyMayWaitForAnotherTransport() async throws {
            let (plain, certificate) = (try MockServer { _ in .ok }, try await MockCertificate.shared)
            let server = try MockServer(certificate: certificate) { _ in .ok }
            let others = (0..<8).map { _ in CurlTransport() }
            for other in others { _ = try await other.fetch(plain.url("/")) }
            let policy = Waiting(others: others, url: plain.url("/"))
            let authorities = TransportConfiguration.CertificateAuthorities.only(pem: certificate.authority)
            let transport = CurlTransport { ($0.trustPolicy, $0.certificateAuthorities) = (policy, authorities) }
            #expect(try await transport.fetch(server.url("/")).status == 200)
        }

        /// An observer is the user's code too.
        @Test(.ownProcess) func observerMayWaitForAnotherTransport() async {
            await #expect(processExitsWith: .success) {
                let (server, others) = (try MockServer { _ in .ok }, (0..<4).map { _ in CurlTransport() })
                for other in others { _ = try await other.fetch(server.url("/")) }
                let observer = Waiting(others: others, url: server.url("/"))
                let client = NetworkClient(interceptors: [observer], transport: CurlTransport())
                _ = try await client.data(for: URLRequest(url: server.url("/")))
                observer.isOn.withLock { $0 = true }
                _ = try await client.data(for: URLRequest(url: server.url("/")))
                #expect(observer.isOn.withLock { !$0 })
            }
        }

        @Test func idleTimeWithoutRequestsIsNoTimeout() async throws {
            let server = try MockServer { _ in .ok }
            try await withLimits([1, 4, 16]) { limit in
                let transport = CurlTransport { ($0.timeouts.idle, $0.timeouts.total) = (limit, limit) }
                #expect(try await transport.fetch(server.url("/")).status == 200)
                // Longer than a loop keeps its thread, and than that and the timeout.
                try await Task.sleep(for: .seconds(limit + 2))
                return try await transport.fetch(server.url("/")).status == 200
            }
        }

        @Test(.ownProcess) func unusableTransportStartsNoThread() async {
            await #expect(processExitsWith: .success) {
                let transports = (0..<3).map { _ in CurlTransport { $0.httpVersions = .http3Only } }
                for transport in transports {
                    await #expect(throws: (any Error).self) { try await transport.fetch(url("http://127.0.0.1:1/")) }
                }
                #expect(threads("net.") == 0)
                withExtendedLifetime(transports) {}
            }
        }

        /// Sends by each of its transports, and waits for the responses: as a trust policy always, as an observer at the first step of an
        /// exchange, once it is on.
        private final class Waiting: ServerTrustPolicy, NetworkEventObserver, HTTPInterceptor {
            let isOn = Locked(false)
            private let others: [CurlTransport]
            private let url: URL

            init(others: [CurlTransport], url: URL) {
                self.others = others
                self.url = url
            }

            func evaluate(_ chain: CertificateChain, host: String) throws { CurlThreadTests.wait(for: others, url) }

            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                var next = next
                next.context.observers.append(self)
                return try await next(request)
            }

            func observe(_ event: NetworkEvent) {
                guard case .step = event.kind else { return }
                let isFirst = isOn.withLock { isOn in
                    defer { isOn = false }
                    return isOn
                }
                if isFirst { CurlThreadTests.wait(for: others, url) }
            }
        }

        /// Blocks the calling thread.
        private static func wait(for transports: [CurlTransport], _ url: URL) {
            for transport in transports {
                let (done, status) = (DispatchSemaphore(value: 0), Locked(0))
                Task {
                    let response = try? await transport.fetch(url)
                    status.withLock { $0 = response?.status ?? 0 }
                    done.signal()
                }
                #expect(done.wait(timeout: .now() + 30) == .success && status.withLock { $0 } == 200)
            }
        }

        /// Asks twice for the loops of a group of eight, each time with so many that can be started.
        ///
        /// - Returns: the number of loops, or nil for an error, and the number of threads that were started so far, both after each time.
        private static func start(_ possible: Int) -> [(loops: Int?, started: Int)] {
            let counts = Locked((left: 0, started: 0))
            let group = EventLoopGroup(count: 8) {
                try counts.withLock { counts in
                    guard counts.left > 0 else { throw TransportError(.other, phase: .preparing, message: "no thread") }
                    (counts.left, counts.started) = (counts.left - 1, counts.started + 1)
                }
                return try EventLoop.start()
            }
            return (0..<2).map { _ in
                counts.withLock { $0.left = possible }
                return ((try? group.loops())?.count, counts.withLock(\.started))
            }
        }

        @Test(.ownProcess) func groupKeepsTheLoopsThatStartedAndFailsWithoutOne() async {
            await #expect(processExitsWith: .success) {
                for (possible, loops) in [(0, nil), (2, 2)] as [(Int, Int?)] {
                    let results = Self.start(possible)
                    #expect(results.map(\.loops) == [loops, loops], "\(results)")
                    #expect(results.map(\.started) == [possible, possible], "\(results)")
                }
            }
        }
    }
#endif
