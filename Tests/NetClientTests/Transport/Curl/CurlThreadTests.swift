#if os(Linux)
    import NetClient
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    /// The threads of transports, which those without exchanges share.
    @Suite(.timeLimit(.minutes(5)))
    struct CurlThreadTests {
        @Test func idleTransportsShareThreads() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let server = try MockServer { _ in .ok }
                var transports: [CurlTransport] = []
                for index in 0..<60 {
                    let transport = CurlTransport()
                    #expect(try await transport.fetch(server.url("/\(index)")).status == 200)
                    transports.append(transport)
                }
                for _ in 0..<2 {
                    _ = try await waitUntil("all wait on one thread") { Self.loopThreads == 1 ? true : nil }
                    #expect(server.openConnections == 60)
                    // Each is still served.
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for transport in transports {
                            group.addTask { try await transport.fetch(server.url("/")).status }
                        }
                        for try await status in group { #expect(status == 200) }
                    }
                }
                _ = try await waitUntil("all wait on one thread") { Self.loopThreads == 1 ? true : nil }
                // Ending some of them leaves the others.
                for transport in transports.prefix(30) { await transport.shutdown() }
                for transport in transports.dropFirst(30) {
                    #expect(try await transport.fetch(server.url("/")).status == 200)
                }
                try await server.waitForOpenConnections(atMost: 30)
                // A connection that the server closes is closed here, too.
                server.closeConnections()
                _ = try await waitUntil("all wait on one thread") { Self.loopThreads == 1 ? true : nil }
                for transport in transports.dropFirst(30) {
                    #expect(try await transport.fetch(server.url("/")).status == 200)
                }
                for transport in transports { await transport.shutdown() }
                try await server.waitForOpenConnections()
                _ = try await waitUntil("the threads have ended") { Self.loopThreads == 0 ? true : nil }
                // A new one starts a thread again.
                let late = CurlTransport()
                #expect(try await late.fetch(server.url("/")).status == 200)
            }
        }

        @Test func timersOfAllAreKept() async throws {
            let server = try MockServer { request in
                request.path == "/slow" ? MockResponse.ok.fault(.stall(.beforeResponse)) : .ok
            }
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<16 {
                    group.addTask {
                        let transport = CurlTransport()
                        let error = try? await transport.failure(
                            server.url("/slow"), context: .due(in: 0.1 + Double(index % 4) / 10))
                        #expect((error as? TransportError)?.code == .totalTimeout)
                        #expect((try? await transport.fetch(server.url("/")))?.status == 200)
                    }
                }
            }
        }

        /// Transports come and go while others work, so that loops arrive at threads that are about to end.
        @Test func comeAndGoAtAnyMoment() async throws {
            let server = try MockServer { _ in .bytes(count: 10_000) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seed in 0..<16 {
                    group.addTask {
                        for round in 0..<25 {
                            let transport = CurlTransport()
                            let isStreamed = (round + seed).isMultiple(of: 2)
                            let response = try await transport.fetch(server.url("/"), streamed: isStreamed)
                            #expect(response.body.count == 10_000)
                            switch (round + seed) % 3 {
                            case 0: await transport.shutdown()
                            case 1:
                                let task = Task { try await transport.fetch(server.url("/")) }
                                await transport.shutdown()
                                _ = try? await task.value
                            default: break
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await server.waitForOpenConnections()
        }

        /// A trust policy is the user's code. One that waits for another transport must not wait for itself.
        @Test func aTrustPolicyMayWaitForAnotherTransport() async throws {
            let plain = try MockServer { _ in .ok }
            let certificate = try await MockCertificate.make()
            let server = try MockServer(certificate: certificate) { _ in .ok }
            let others = (0..<8).map { _ in CurlTransport() }
            for other in others { _ = try await other.fetch(plain.url("/")) }
            let policy = WaitingPolicy(others: others, url: plain.url("/"))
            let transport = CurlTransport {
                $0.trustPolicy = policy
                $0.certificateAuthorities = .only(pem: certificate.authority)
            }
            #expect(try await transport.fetch(server.url("/")).status == 200)
        }

        /// Sends by each of its transports, and waits for the responses.
        private struct WaitingPolicy: ServerTrustPolicy {
            let others: [CurlTransport]
            let url: URL

            func evaluate(_ chain: CertificateChain, host: String) throws {
                for other in others {
                    let done = DispatchSemaphore(value: 0)
                    let status = Locked(0)
                    Task {
                        let response = try? await other.fetch(url)
                        status.withLock { $0 = response?.status ?? 0 }
                        done.signal()
                    }
                    #expect(done.wait(timeout: .now() + 30) == .success)
                    #expect(status.withLock { $0 } == 200)
                }
            }
        }

        /// The number of threads that run loops.
        static var loopThreads: Int {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            return tasks.filter {
                (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))?.hasPrefix("net.curl")
                    == true
            }.count
        }
    }
#endif
