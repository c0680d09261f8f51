#if os(Linux)
    import FaultLab
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Which requests share a connection, and which must not.
    @Suite(.timeLimit(.minutes(5))) struct HTTP2SharingTests {
        private func fetch(_ count: Int, _ url: URL, over transport: CurlTransport) async throws {
            try await transport.fetchAtOnce(Array(repeating: url, count: count))
        }

        @Test func concurrentRequestsOpenOneConnection() async throws {
            let lab = try await HTTP2Lab()
            for round in 1...4 {
                try await fetch(60, lab.server.url, over: lab.transport)
                #expect(lab.server.connectionCount == round)
                lab.server.goAway()
                try await lab.server.waitForHTTP2 { $0.allSatisfy { !$0.isOpen } }
            }
        }

        @Test(arguments: [1, 2, 10]) func maxConcurrentStreamsOpensMoreConnections(_ streams: Int) async throws {
            let lab = try await HTTP2Lab(MockHTTP2Settings(streams: streams)) { _ in .text("ok").delayed(by: 0.01) }
            try await fetch(100, lab.server.url, over: lab.transport { $0.limits.connectionsPerHost = 3 })
            #expect((1...3).contains(lab.server.connectionCount) && lab.server.requestCount == 100)
        }

        /// `localhost` and `127.0.0.1` are one server with one certificate, and two origins.
        @Test func connectionIsNotCoalescedAcrossHosts() async throws {
            let lab = try await HTTP2Lab()
            let other = try url("localhost", lab.server)
            for _ in 0..<3 {
                try await fetch(2, lab.server.url, over: lab.transport)
                try await fetch(2, other, over: lab.transport)
            }
            #expect(lab.server.connectionCount == 2)
        }

        @Test func trustPolicyIsAskedForEachHost() async throws {
            let (lab, policy) = (try await HTTP2Lab(), LeafPolicy { $0 != "localhost" })
            let (transport, good) = (lab.transport { $0.trustPolicy = policy }, try url("localhost", lab.server))
            try await fetch(10, good, over: transport)
            for _ in 0..<2 { try await failure { try await transport.fetch(lab.server.url) } }
            try await fetch(10, good, over: transport)
            #expect(policy.hosts.filter { $0 == "localhost" }.count == 1 && policy.leaves.count == policy.hosts.count)
            #expect(lab.server.requestCount == 20)
        }

        @Test(.requires(.openssl)) func clientCertificateConnectionIsNotSharedWithOtherHosts() async throws {
            let (lab, certificates) = (try await HTTP2Lab(), try await TestCertificates.shared)
            let (certificate, key) = (try certificates.client.certificate.pem, try certificates.client.keyPEM)
            let transport = lab.transport {
                $0.clientCertificate = .pem(certificate: certificate, key: key, password: nil)
                $0.clientCertificateHosts = ["localhost:\(lab.server.port)"]
            }
            try await fetch(2, url("localhost", lab.server), over: transport)
            try await fetch(2, lab.server.url, over: transport)
            #expect(lab.server.connectionCount == 2)
        }

        @Test func http1ServerIsUsedOverHTTP1() async throws {
            let lab = try await HTTP2Lab(versions: .http1Only)
            try await fetch(50, lab.server.url, over: lab.transport { $0.limits.connectionsPerHost = 4 })
            #expect((1...4).contains(lab.server.connectionCount))
            #expect(lab.server.requests.allSatisfy { $0.httpVersion == "HTTP/1.1" })
        }

        @Test func refusedConnectionsFailConcurrently() async throws {
            let listener = try MockServer()
            let url = try url("https://127.0.0.1:\(listener.port)/")
            await listener.stop()
            let transport = CurlTransport()
            _ = try await atOnce(50) { _ in try await transport.expectFailure(.connectionRefused, of: url) }
        }

        /// A server that is known for HTTP/2 has stopped answering.
        @Test func connectTimeoutsRunConcurrently() async throws {
            try await withLimits([2, 6, 20]) { limit in
                let lab = try await HTTP2Lab()
                let transport = lab.transport { $0.timeouts.connect = limit }
                try await fetch(1, lab.server.url, over: transport)
                lab.server.goAway()
                try await lab.server.waitForHTTP2 { $0.allSatisfy { !$0.isOpen } }
                for _ in 0..<20 { lab.server.enqueue(MockResponse.ok.fault(.stall(.onAccept))) }
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask { _ = try await transport.expectFailure(.connectTimeout, of: lab.server.url) }
                    }
                    // The first waits alone; when the second gives up, all have tried.
                    for _ in 0..<2 { _ = try await group.next() }
                    let haveAllTried = lab.server.connectionCount >= 9
                    try await group.waitForAll()
                    return haveAllTried
                }
            }
        }

        @Test func shutdownEndsAllStreams() async throws {
            let lab = try await HTTP2Lab { request in
                request.path == "/held" ? .text("x").fault(http2: .missingEnd, at: .afterHead) : .text("ok")
            }
            let response = try await lab.transport.stream(lab.server.url("/held"))
            let waiting = Task { try await lab.transport.fetch(lab.server.url("/held")) }
            try await lab.server.waitForHTTP2 { $0.first?.streams == 2 }
            await lab.transport.shutdown()
            await #expect(throws: TransportError.self) { for try await _ in response.body {} }
            let error = await #expect(throws: TransportError.self) { _ = try await waiting.value }
            #expect(error?.code == .shutDown)
            try await lab.server.waitForHTTP2 { $0.allSatisfy { !$0.isOpen } }
        }
    }
#endif
