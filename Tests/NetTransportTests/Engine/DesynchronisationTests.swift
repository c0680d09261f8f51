#if os(Linux)
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// Random exchanges over kept connections with a server that misbehaves. No response may ever belong to another request.
    ///
    /// `DESYNC_SEED` gives other exchanges, `DESYNC_COUNT` another number.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct DesynchronisationTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let seed = environment["DESYNC_SEED"].flatMap { UInt64($0) } ?? 20_261_125
        private static let count =
            environment["DESYNC_COUNT"].flatMap { Int($0) } ?? Volume.pick(quick: 1_500, full: 10_000)
        private func transport(_ certificate: MockCertificate?, connections: Int) -> CurlTransport {
            CurlTransport {
                $0.limits.connectionsPerHost = connections
                $0.timeouts.idle = 30
                if let certificate { $0.certificateAuthorities = .only(pem: certificate.authority) }
            }
        }

        @Test(arguments: [false, true]) func noResponseBelongsToAnotherRequest(isTLS: Bool) async throws {
            // Of the exchanges, a quarter goes over TLS.
            let count = isTLS ? Self.count / 4 : Self.count - Self.count / 4
            let certificate = isTLS ? try await MockCertificate.shared : nil
            let server = try HostileServer(seed: Self.seed, certificate: certificate)
            let client = HostileClient(
                seed: Self.seed, server: server, transport: transport(certificate, connections: isTLS ? 3 : 4))
            print("DESYNC_SEED=\(Self.seed): \(count) exchanges\(isTLS ? " over TLS" : "")")
            let (numbers, tally) = (Locked((0..<count).makeIterator()), Locked<[String: Int]>([:]))
            let problems = try await atOnce(24) { _ in
                var problems: [String] = []
                while let number = numbers.withLock({ $0.next() }) {
                    let problem = await client.play(number) { name in tally.withLock { $0[name, default: 0] += 1 } }
                    if let problem { problems.append(problem) }
                }
                return problems
            }.flatMap { $0 }
            await client.transport.shutdown()
            try await waitUntil("the server sees the end of all connections") { server.openConnections == 0 ? () : nil }
            server.stop()
            print("\(tally.withLock { $0 }), \(server.connectionCount) connections")
            for problem in (problems + server.violations).prefix(40) { Issue.record("\(problem)") }
            #expect(problems.isEmpty)
            // Otherwise hardly any connection was kept.
            #expect(server.connectionCount < count * 3 / 4)
        }

        @Test(arguments: [false, true]) func lateBytesOnAnIdleConnectionAreNotAResponse(isTLS: Bool) async throws {
            let certificate = isTLS ? try await MockCertificate.shared : nil
            let (server, transport) = (try LateServer(certificate), transport(certificate, connections: 1))
            var generator = SeededGenerator(state: Self.seed)
            for number in 0..<Volume.pick(quick: 100, full: 500) {
                let url = server.url.appendingPathComponent("t\(number)x")
                #expect(try await transport.fetch(url).body == Data(url.path.utf8))
                await server.sendLate([" ", "\r\n", LateServer.response][number % 3])
                let pause = generator.next(below: 3)
                if pause > 0 { try await Task.sleep(nanoseconds: UInt64(pause * pause) * 500_000) }
            }
            await transport.shutdown()
            #expect(server.requestsAfterLateBytes == 0)
            server.stop()
        }
    }
#endif
