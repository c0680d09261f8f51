#if os(Linux)
    import FaultLab
    import NetClient
    import NetTesting
    import TestLab
    import Testing

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
