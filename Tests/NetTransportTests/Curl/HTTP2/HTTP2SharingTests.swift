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

        @Test(.requires(.nginx)) func concurrentDownloadsFromNginxAreWhole() async throws {
            let (nginx, transport) = (try await NginxServer(), try await CurlTransport.trusting())
            let url = nginx.http2URL.appendingPathComponent("64k")
            let counts = try await atOnce(200) { _ in try await transport.fetch(url).body.count }
            #expect(counts.allSatisfy { $0 == 65_536 })
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

    /// What a server certainly did not process is sent once more, and nothing else is.
    @Suite(.timeLimit(.minutes(2)), .requires(.openssl)) struct HTTP2RetryTests {
        private let lab: HTTP2Lab
        private let client: NetworkClient

        init() async throws {
            lab = try await HTTP2Lab()
            client = lab.client()
        }

        private func url(_ path: String) -> URL { lab.server.url(path) }

        @Test(arguments: ["GET", "POST"]) func goAwayAfterFiftyStreamsFailsNoRequest(_ method: String) async throws {
            var settings = MockHTTP2Settings()
            settings.goAwayAfter = 50
            let lab = try await HTTP2Lab(settings)
            let client = lab.client()
            _ = try await atOnce(20) { task in
                for number in 0..<50 {
                    let body = method == "POST" ? HTTPBody("\(number)") : nil
                    try await client.send(method, lab.server.url("/\(task)-\(number)"), body)
                }
            }
            #expect(lab.server.requestCount == 1000 && Set(lab.server.requests.map(\.path)).count == 1000)
            #expect(lab.server.http2Connections.count >= 20)
        }

        private static let refusals: [MockHTTP2Fault] = [
            .reset(.refusedStream), .goAway(.noError, last: .previous), .reset(.http11Required),
        ]

        @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], refusals)
        func refusedRequestIsRetriedOnce(_ method: String, _ refusal: MockHTTP2Fault) async throws {
            lab.server.enqueue(.ok.fault(http2: refusal, at: .beforeHead), .text("done"))
            let body = ["POST", "PUT", "PATCH"].contains(method) ? HTTPBody(Data("body".utf8)) : nil
            let response = try await client.send(method, url("/x"), body)
            #expect(response.status == 200 && response.retryTrace.retries.map(\.reason) == [.staleConnection])
            #expect(response.retryTrace.retries.map(\.delay) == [0])
            #expect(lab.server.requests.last?.method.rawValue == method)
            #expect(lab.server.requests.last?.bodyText == (body == nil ? "" : "body"))
            #expect(response.version == (refusal == .reset(.http11Required) ? .http1_1 : .http2))
        }

        @Test(arguments: refusals) func requestRefusedTwiceFails(_ refusal: MockHTTP2Fault) async throws {
            let refused = MockResponse.ok.fault(http2: refusal, at: .beforeHead)
            lab.server.enqueue(refused, refused, .status(500))
            if refusal == .reset(.http11Required) {
                // Over HTTP/1.1 the fault of HTTP/2 is none.
                #expect(try await client.send("POST", url("/x")).status == 200)
            } else {
                let error = try await failure { try await client.send("POST", url("/x")) }
                #expect(error.transportError?.code == .refusedStream && error.transportError?.isUnprocessed == true)
                #expect(error.retryTrace.retries.count == 1 && lab.server.enqueuedCount == 1)
            }
        }

        @Test func unreplayableBodyIsNotRetried() async throws {
            lab.server.enqueue(.ok.fault(http2: .reset(.refusedStream), at: .beforeHead), .text("done"))
            let error = try await failure { try await client.send("POST", url("/x"), oneShot("once")) }
            #expect(error.transportError?.code == .refusedStream && lab.server.enqueuedCount == 1)
        }

        @Test(arguments: [
            MockHTTP2Fault.reset(.internalError), .reset(.cancel), .reset(.noError), .reset(.enhanceYourCalm),
            .goAway(.internalError), .close, .resetConnection, .garbage, .badIndex,
        ]) func postThatMayBeProcessedIsNotRetried(_ fault: MockHTTP2Fault) async throws {
            let client = lab.client(RetryPolicy(maxRetries: 3, delay: .immediate))
            // On a connection that has served another request already.
            try await client.send("GET", url("/first"))
            lab.server.enqueue(.ok.fault(http2: fault, at: .beforeHead), .text("twice"))
            let error = try await failure { try await client.send("POST", url("/x")) }
            #expect(error.transportError?.isUnprocessed == false && lab.server.enqueuedCount == 1)
        }

        /// As over HTTP/1.1: the connection was used before, and was most likely closed while it was idle.
        @Test(arguments: [MockHTTP2Fault.close, .resetConnection])
        func staleConnectionIsRetried(_ fault: MockHTTP2Fault) async throws {
            try await client.send("GET", url("/first"))
            lab.server.enqueue(.ok.fault(http2: fault, at: .beforeHead), .text("again"))
            #expect(try await client.send("GET", url("/x")).retryTrace.retries.map(\.reason) == [.staleConnection])
            #expect(lab.server.http2Connections.count == 2)
        }

        /// The server may close every new connection.
        @Test func closedNewConnectionIsNotRetried() async throws {
            lab.server.enqueue(.ok.fault(http2: .close, at: .beforeHead), .text("again"))
            let error = try await failure { try await client.send("GET", url("/x")) }
            #expect(error.transportError?.code == .connectionLost && error.transportError?.isStaleConnection == false)
        }

        @Test(arguments: [1, 6]) func http11RequiredIsRememberedForTheOrigin(connections: Int) async throws {
            let client = lab.client {
                // Ends before an idle connection is closed, which would start a request that waits for it.
                ($0.limits.connectionsPerHost, $0.timeouts.idle, $0.timeouts.total) = (connections, 60, 60)
            }
            lab.server.enqueue(.ok.fault(http2: .reset(.http11Required), at: .beforeHead))
            for _ in 0..<5 { #expect(try await client.send("GET", url("/x")).version == .http1_1) }
            #expect(lab.server.requests.count { $0.httpVersion == "HTTP/2" } == 1)
            #expect(lab.server.http2Connections.count == 1)
        }

        @Test func enhanceYourCalmIsRetriedAfterADelay() async throws {
            let clock = TestClock()
            let client = NetworkClient(
                retryPolicy: RetryPolicy(maxRetries: 2, delay: .fixed(7)), transport: lab.transport, clock: clock)
            lab.server.enqueue(
                .ok.fault(http2: .reset(.enhanceYourCalm), at: .beforeHead),
                .ok.fault(http2: .goAway(.enhanceYourCalm, last: .previous), at: .beforeHead), .text("now"))
            let task = Task { try await client.send("GET", url("/x")) }
            for _ in 0..<2 {
                try await clock.waitForSleepers()
                await clock.advance(by: 7)
            }
            let retries = try await task.value.retryTrace.retries
            #expect(retries.map(\.delay) == [7, 7] && retries.map(\.reason) == [.policy, .policy])
        }
    }
#endif
